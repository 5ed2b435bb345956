use clap::{Arg, Args, Command};
use thiserror::Error;

/// The heading of the arguments of the program in `--help`.
const HEADING: &str = "Options of this program";

/// The subcommands that serve models and therefore take the arguments of the program.
const SERVING: [&str; 2] = ["serve", "check"];

/// An argument of the program has the name of another one.
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
        let long = one.get_long().is_some() && one.get_long() == other.get_long();
        let short = one.get_short().is_some() && one.get_short() == other.get_short();
        long || short || one.get_id() == other.get_id()
    };
    let reserved = |argument: &Arg| {
        matches!(argument.get_long(), Some("help" | "version"))
            || matches!(argument.get_short(), Some('h' | 'V'))
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
    let group = own.get_groups().find(|one| {
        let mut groups = command.get_groups();
        groups.any(|other| one.get_id() == other.get_id())
    })?;
    Some(format!("the argument group `{}`", group.get_id()))
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
    struct Help {
        #[arg(short = 'h')]
        height: Option<u8>,
    }

    #[derive(Debug, Args)]
    struct Options {
        #[arg(long)]
        weights: Option<String>,
    }

    #[test]
    fn arguments_with_used_names_are_refused() {
        let line = || CommandLine::describe("test", "1.2.3");
        with_arguments::<()>(line()).unwrap().debug_assert();
        with_arguments::<Good>(line()).unwrap().debug_assert();
        for (refused, named) in [
            (with_arguments::<Port>(line()), "the argument `--http-port`"),
            (
                with_arguments::<LockVariable>(line()),
                "the argument `lock`",
            ),
            (with_arguments::<Help>(line()), "the argument `-h`"),
            (
                with_arguments::<Options>(line()),
                "the argument group `Options`",
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
