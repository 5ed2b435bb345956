use std::ffi::{OsStr, OsString};
use std::{env, fmt};

use clap::builder::{BoolishValueParser, OsStringValueParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::arguments::ReadOptions;

use super::HEADING;
use super::flag::{FLAGS, Flag, Kind, is_secret};

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

impl ReadOptions for Flags {
    fn declare(command: Command) -> Command {
        FLAGS
            .iter()
            .fold(command, |command, flag| command.arg(argument(flag)))
    }

    fn read(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Vec::new();
        for flag in FLAGS {
            let values = matches.get_many::<OsString>(flag.name);
            let given = values.into_iter().flatten().cloned();
            flags.extend(given.map(|value| (flag.name, value)));
        }
        Ok(Self(flags))
    }
}

fn argument(flag: &Flag) -> Arg {
    let (value_name, parser) = match flag.kind {
        Kind::Bool => ("BOOL", to_flag_value(BoolishValueParser::new())),
        Kind::Number => ("NUMBER", to_flag_value(value_parser!(i64))),
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
fn to_flag_value<P>(parser: P) -> ValueParser
where
    P: TypedValueParser,
    P::Value: ToString,
{
    ValueParser::new(parser.map(|value: P::Value| OsString::from(value.to_string())))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::Arguments;

    #[derive(Debug, Parser)]
    struct TestCommandLine {
        #[command(flatten)]
        flags: Arguments<Flags>,
    }

    fn parse(arguments: &[&str]) -> Result<Vec<(&'static str, OsString)>, clap::Error> {
        let line = TestCommandLine::try_parse_from(std::iter::once(&"test").chain(arguments))?;
        Ok(line.flags.0.0)
    }

    #[test]
    fn valid_flags_are_accepted_unchanged() {
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
    fn unknown_flags_and_invalid_values_are_refused() {
        for argument in [
            "--http-thread-count=many",
            "--grpc-use-ssl=maybe",
            "--no-such=1",
        ] {
            assert!(parse(&[argument]).is_err(), "{argument}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        let line = ["test", "--cache-config=redis,password=Sesam", "--id=x"];
        let shown = format!("{:?}", TestCommandLine::try_parse_from(line).unwrap());
        assert!(
            !shown.contains("Sesam") && shown.contains("\"x\""),
            "{shown}"
        );
    }
}
