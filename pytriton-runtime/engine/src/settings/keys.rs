use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command};

use super::expected::{Expected, Scalar};

/// Longer than the name of any option.
const MAX_NAME_BYTES: usize = 128;

/// Printed instead of a secret value.
pub(super) const HIDDEN: &str = "(hidden)";

/// The options allowed in a file: clap's own definitions, each parsed separately.
#[derive(Debug)]
pub(super) struct Keys(Command);

impl Keys {
    /// Collects the options of a command, except the one that names the file.
    pub(super) fn new(command: &Command) -> Self {
        let options = command.get_arguments().filter(|option| {
            let name = option.get_long().filter(|_| option.get_env().is_some());
            name.is_some_and(|name| name != "config")
        });
        let command = Command::new("configuration")
            .no_binary_name(true)
            .disable_help_flag(true);
        // Only the given value must be checked, not the environment or other options.
        let options = options.cloned().map(|option| {
            let alone = option.required(false).requires(Resettable::Reset);
            let alone = alone.conflicts_with(Resettable::Reset);
            alone.env(Resettable::Reset)
        });
        Self(command.args(options))
    }

    /// Returns the option with this name.
    pub(super) fn find(&self, name: &str) -> Option<&Arg> {
        let mut options = self.0.get_arguments();
        options.find(|option| option.get_long() == Some(name))
    }

    /// Returns the option name that is most similar to an unknown one.
    pub(super) fn nearest(&self, name: &str) -> Option<String> {
        // The time of the comparison is proportional to the length of the name.
        if name.len() > MAX_NAME_BYTES {
            return None;
        }
        let error = self.parse(format!("--{name}")).err()?;
        match error.get(ContextKind::SuggestedArg)? {
            ContextValue::String(suggested) => suggested.strip_prefix("--").map(ToOwned::to_owned),
            _ => None,
        }
    }

    /// Returns the TOML type that an option expects.
    pub(super) fn expected(&self, option: &Arg) -> Expected {
        let accepts = |value| self.check(option, value).is_ok();
        let values = option.get_possible_values();
        let boolean = values.iter().any(|value| value.get_name() == "true");
        let number = || accepts("1") && !accepts("x");
        match option.get_action() {
            ArgAction::SetTrue => Expected::Boolean,
            ArgAction::Append if number() => Expected::List(Scalar::Number),
            ArgAction::Append => Expected::List(Scalar::Text),
            _ if boolean => Expected::Boolean,
            _ if number() => Expected::Number,
            _ => Expected::Text,
        }
    }

    /// Checks a value of an option.
    pub(super) fn check(&self, option: &Arg, value: &str) -> Result<(), String> {
        let name = option.get_long().unwrap_or_default();
        let error = match written(option, name, value).map(|argument| self.parse(argument)) {
            None | Some(Ok(())) => return Ok(()),
            Some(Err(error)) => error,
        };
        match error.kind() {
            // Dependencies between options are checked with the whole command line.
            ErrorKind::MissingRequiredArgument | ErrorKind::ArgumentConflict => Ok(()),
            _ if is_secret(option) => Err(format!("invalid value {HIDDEN} for `{name}`")),
            _ => Err(one_line(&error)),
        }
    }

    fn parse(&self, argument: String) -> Result<(), clap::Error> {
        self.0.clone().try_get_matches_from([argument]).map(|_| ())
    }
}

/// Formats an option and its value as a command-line argument. Returns `None` for a switch that is
/// off.
pub(super) fn written(option: &Arg, name: &str, value: &str) -> Option<String> {
    match (option.get_action(), value) {
        (ArgAction::SetTrue, "true") => Some(format!("--{name}")),
        (ArgAction::SetTrue, "false") => None,
        _ => Some(format!("--{name}={value}")),
    }
}

/// Returns whether the value is secret: clap hides the environment value of such options in
/// `--help`.
pub(super) fn is_secret(option: &Arg) -> bool {
    option.is_hide_env_values_set()
}

/// Returns clap's message in one line, without its advice.
fn one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let first_line = text.split("\n\n").next().unwrap_or_default();
    let first_line = first_line.strip_prefix("error: ").unwrap_or(first_line);
    let words: Vec<&str> = first_line.split_whitespace().collect();
    words.join(" ")
}
