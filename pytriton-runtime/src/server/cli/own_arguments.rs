use clap::{Arg, Args, Command};
use thiserror::Error;

/// The heading of the arguments of the program in `--help`.
const HEADING: &str = "Options of this program";

/// The subcommands that serve models and therefore take the arguments of the program.
const SERVING: [&str; 2] = ["serve", "check"];

/// An argument of the program has a name or a variable of another one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the program declares {own}, which the command line of pytriton has already: rename it")]
pub struct ArgumentClash {
    /// The argument or group, as the program declares it.
    own: String,
}

/// Adds the arguments `A` to a command line.
///
/// # Errors
///
/// Returns [`ArgumentClash`] if one has the name of an existing argument.
pub(super) fn with_arguments<A: Args>(command: Command) -> Result<Command, ArgumentClash> {
    let own = A::augment_args(Command::new("own"));
    let serving = SERVING.map(|name| command.find_subcommand(name));
    let levels = [serving[0], serving[1], Some(&command)];
    let clash = levels
        .into_iter()
        .flatten()
        .find_map(|level| clash(&own, level));
    if let Some(own) = clash {
        return Err(ArgumentClash { own });
    }
    let command = augmented::<A>(command).subcommand_negates_reqs(true);
    Ok(SERVING.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, augmented::<A>)
    }))
}

fn augmented<A: Args>(command: Command) -> Command {
    let command = A::augment_args(command.next_help_heading(HEADING));
    command.next_help_heading(None::<&'static str>)
}

/// Returns the first argument or group that clap would not accept.
fn clash(own: &Command, command: &Command) -> Option<String> {
    let same = |one: &Arg, other: &Arg| {
        let long = longs(one).iter().any(|name| longs(other).contains(name));
        let short = shorts(one).iter().any(|name| shorts(other).contains(name));
        let variable = one.get_env().is_some() && one.get_env() == other.get_env();
        long || short || variable || one.get_id() == other.get_id()
    };
    let reserved = |argument: &Arg| {
        longs(argument)
            .iter()
            .any(|name| matches!(*name, "help" | "version"))
            || shorts(argument)
                .iter()
                .any(|name| matches!(name, 'h' | 'V'))
    };
    let argument = own
        .get_arguments()
        .find(|one| reserved(one) || command.get_arguments().any(|other| same(one, other)));
    if let Some(argument) = argument {
        let name = match (argument.get_long(), argument.get_short()) {
            (Some(long), _) => format!("--{long}"),
            (None, Some(short)) => format!("-{short}"),
            (None, None) => argument.get_id().to_string(),
        };
        return Some(format!("the argument `{name}`"));
    }
    // The command line has no groups, but a group must not have the name of an argument either.
    let group = own.get_groups().find(|one| {
        let mut arguments = command.get_arguments();
        arguments.any(|other| one.get_id() == other.get_id())
    })?;
    Some(format!("the argument group `{}`", group.get_id()))
}

/// Returns the long names of an argument, with aliases.
fn longs(argument: &Arg) -> Vec<&str> {
    let aliases = argument.get_all_aliases().unwrap_or_default();
    argument.get_long().into_iter().chain(aliases).collect()
}

/// Returns the short names of an argument, with aliases.
fn shorts(argument: &Arg) -> Vec<char> {
    let aliases = argument.get_all_short_aliases().unwrap_or_default();
    argument.get_short().into_iter().chain(aliases).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::command::CommandLine;

    #[derive(Debug, Args)]
    struct Good {
        #[arg(long, required = true)]
        weights: Option<String>,
    }

    #[derive(Debug, Args)]
    #[group(skip)]
    struct Port {
        #[arg(id = "mine", long = "http-port")]
        port: u16,
    }

    #[derive(Debug, Args)]
    #[group(skip)]
    struct LockVariable {
        #[arg(env = "LOCK")]
        lock: Option<String>,
    }

    #[derive(Debug, Args)]
    #[group(skip)]
    struct Alias {
        #[arg(long, alias = "http-port")]
        port_of_mine: Option<u16>,
    }

    #[derive(Debug, Args)]
    #[group(skip)]
    struct ShortAlias {
        #[arg(long, short_alias = 'h')]
        height: Option<u8>,
    }

    #[derive(Debug, Args)]
    #[group(skip)]
    struct Variable {
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_HTTP_PORT")]
        port_of_mine: Option<u16>,
    }

    #[derive(Debug, Args)]
    #[group(skip)]
    struct Help {
        #[arg(short = 'h')]
        height: Option<u8>,
    }

    #[derive(Debug, Args)]
    struct Options {
        #[arg(long)]
        weights: Option<String>,
    }

    #[derive(Debug, Args)]
    #[group(id = "model")]
    struct Group {
        #[arg(long)]
        weights: Option<String>,
    }

    #[test]
    fn arguments_with_used_names_are_refused() {
        let line = || CommandLine::describe("test", "1.2.3");
        with_arguments::<()>(line()).unwrap().debug_assert();
        with_arguments::<Good>(line()).unwrap().debug_assert();
        with_arguments::<Options>(line()).unwrap().debug_assert();
        for (refused, named) in [
            (with_arguments::<Port>(line()), "the argument `--http-port`"),
            (
                with_arguments::<LockVariable>(line()),
                "the argument `lock`",
            ),
            (with_arguments::<Help>(line()), "the argument `-h`"),
            (
                with_arguments::<Alias>(line()),
                "the argument `--port-of-mine`",
            ),
            (
                with_arguments::<ShortAlias>(line()),
                "the argument `--height`",
            ),
            (
                with_arguments::<Variable>(line()),
                "the argument `--port-of-mine`",
            ),
            (
                with_arguments::<Group>(line()),
                "the argument group `model`",
            ),
        ] {
            let text = refused.unwrap_err().to_string();
            assert_eq!(
                text,
                format!(
                    "the program declares {named}, which the command line of pytriton has already: \
                     rename it"
                )
            );
        }
    }
}
