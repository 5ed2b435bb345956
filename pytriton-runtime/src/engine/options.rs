use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::{env, fmt};

use clap::builder::{BoolishValueParser, OsStringValueParser, TypedValueParser, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum, value_parser};

use super::flags::{FLAGS, Flag, Kind, is_secret};

/// The heading for tritonserver's flags in `--help`.
const HEADING: &str = "Options of the tritonserver engine";

/// The engine, and the options of the tritonserver engine.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = HEADING)]
pub struct TritonOptions {
    /// Engine that serves the requests
    #[arg(
        long,
        env = "PYTRITON_ENGINE",
        value_enum,
        default_value_t = EngineChoice::Auto,
        help_heading = None
    )]
    pub engine: EngineChoice,

    /// Path of the tritonserver binary or of its installation folder
    #[arg(long, env = "PYTRITON_TRITONSERVER", value_name = "PATH")]
    pub tritonserver: Option<PathBuf>,

    /// Restart tritonserver when it dies instead of exiting
    #[arg(long, env = "PYTRITON_RESTART", value_parser = BoolishValueParser::new())]
    pub restart: bool,

    /// Seconds until tritonserver must be ready, including models from --model-repository
    #[arg(
        long,
        env = "PYTRITON_READY_TIMEOUT_SECS",
        value_name = "SECONDS",
        default_value_t = 600,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub ready_timeout_secs: u64,

    /// Flags for tritonserver
    #[command(flatten)]
    pub flags: Flags,
}

/// The engine that serves the requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EngineChoice {
    /// tritonserver if one is found, otherwise this process.
    Auto,
    /// This process.
    Embedded,
    /// NVIDIA's server, started by this process.
    Tritonserver,
}

/// Flags for tritonserver with their values, in the order in which they are passed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Flags(Vec<(&'static str, OsString)>);

impl Flags {
    /// Returns the names without dashes, and the values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &OsStr)> {
        self.0
            .iter()
            .map(|(name, value)| (*name, value.as_os_str()))
    }

    /// Returns the values of a flag.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &OsStr> {
        self.iter()
            .filter_map(move |(flag, value)| (flag == name).then_some(value))
    }

    /// Returns whether a flag is set.
    pub fn contains(&self, name: &str) -> bool {
        self.values(name).next().is_some()
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self
            .iter()
            .map(|(name, value)| match is_secret(name, value) {
                true => (name, OsStr::new("…")),
                false => (name, value),
            });
        formatter.debug_map().entries(shown).finish()
    }
}

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        FLAGS
            .iter()
            .fold(command, |command, flag| command.arg(argument(flag)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Vec::new();
        for flag in FLAGS {
            let values = matches.get_many::<OsString>(flag.name);
            let given = values.into_iter().flatten().cloned();
            flags.extend(given.map(|value| (flag.name, value)));
            // The command line takes precedence over the environment. Variables of the environment
            // add up.
            let environment = matches!(
                matches.value_source(flag.name),
                None | Some(ValueSource::EnvVariable)
            );
            if flag.kind == Kind::List && environment {
                let items = numbered_variables(flag.env).into_iter();
                flags.extend(items.map(|(_, value)| (flag.name, value)));
            }
        }
        Ok(Self(flags))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn argument(flag: &Flag) -> Arg {
    let (value_name, parser) = match flag.kind {
        Kind::Bool => ("BOOL", as_given(BoolishValueParser::new())),
        Kind::Number => ("NUMBER", as_given(value_parser!(i64))),
        Kind::Text | Kind::List => ("VALUE", ValueParser::new(OsStringValueParser::new())),
    };
    Arg::new(flag.name)
        .long(flag.name)
        .env(flag.env)
        .hide_env_values(is_secret(
            flag.name,
            &env::var_os(flag.env).unwrap_or_default(),
        ))
        .help(flag.help)
        .help_heading(HEADING)
        .hide_short_help(true)
        .value_name(value_name)
        .value_parser(parser)
        .allow_hyphen_values(true)
        .action(match flag.kind {
            Kind::List => ArgAction::Append,
            _ => ArgAction::Set,
        })
}

/// Formats a parsed value for tritonserver.
fn as_given<P>(parser: P) -> ValueParser
where
    P: TypedValueParser,
    P::Value: ToString,
{
    ValueParser::new(parser.map(|value: P::Value| OsString::from(value.to_string())))
}

/// Returns the variables `<name>_0`, `<name>_1` and so on of the environment with their values,
/// ordered by number.
pub(crate) fn numbered_variables(name: &str) -> Vec<(String, OsString)> {
    numbered(name, env::vars_os())
}

fn numbered(
    name: &str,
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Vec<(String, OsString)> {
    let mut items: Vec<(u32, String, OsString)> = variables
        .filter_map(|(variable, value)| {
            let variable = variable.into_string().ok()?;
            let number = variable.strip_prefix(name)?.strip_prefix('_')?.parse();
            Some((number.ok()?, variable, value))
        })
        .collect();
    items.sort();
    items
        .into_iter()
        .map(|(_, variable, value)| (variable, value))
        .collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        triton: TritonOptions,
    }

    fn parse(arguments: &[&str]) -> Result<Vec<(&'static str, OsString)>, clap::Error> {
        let line = Line::try_parse_from(std::iter::once(&"test").chain(arguments))?;
        Ok(line.triton.flags.0)
    }

    #[test]
    fn values_arrive_as_they_were_given() {
        type Row<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)]);
        let table: &[Row<'_>] = &[
            (&[], &[]),
            (
                &["--log-file=/tmp/a b.log"],
                &[("log-file", "/tmp/a b.log")],
            ),
            (
                &["--log-file", "/tmp/a b.log"],
                &[("log-file", "/tmp/a b.log")],
            ),
            (&["--id=a,b\n\"c\""], &[("id", "a,b\n\"c\"")]),
            (&["--grpc-use-ssl=False"], &[("grpc-use-ssl", "false")]),
            (&["--grpc-use-ssl", "1"], &[("grpc-use-ssl", "true")]),
            (
                &["--grpc-keepalive-time=-1"],
                &[("grpc-keepalive-time", "-1")],
            ),
            (
                &["--trace-config=a,b", "--id=x", "--trace-config=c"],
                &[("id", "x"), ("trace-config", "a,b"), ("trace-config", "c")],
            ),
        ];
        for (arguments, expected) in table {
            let expected: Vec<_> = expected
                .iter()
                .map(|&(n, v)| (n, OsString::from(v)))
                .collect();
            assert_eq!(parse(arguments).unwrap(), expected, "{arguments:?}");
        }
    }

    #[test]
    fn mistakes_are_refused() {
        for argument in [
            "--http-thread-count=many",
            "--grpc-use-ssl=maybe",
            "--no-such=1",
            "--engine=x",
        ] {
            assert!(parse(&[argument]).is_err(), "{argument}");
        }
    }

    #[test]
    fn list_items_come_in_the_order_of_their_numbers() {
        let variables = [
            ("A_10", "ten"),
            ("A_2", "two"),
            ("A_0", "zero"),
            ("A_B_1", "no"),
            ("A_", "no"),
            ("B_1", "no"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let items = numbered("A", variables.into_iter());
        let values: Vec<_> = items.into_iter().map(|(_, value)| value).collect();
        assert_eq!(values, ["zero", "two", "ten"]);
    }

    #[test]
    fn passwords_are_not_shown() {
        let line = ["test", "--cache-config=redis,password=Sesam", "--id=x"];
        let shown = format!("{:?}", Line::try_parse_from(line).unwrap());
        assert!(
            !shown.contains("Sesam") && shown.contains("\"x\""),
            "{shown}"
        );
    }
}
