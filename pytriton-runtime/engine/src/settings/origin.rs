use std::ffi::OsStr;
use std::fmt::{self, Display, Formatter};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};

use crate::flags;

use super::environment::numbered_variables;
use super::keys::{HIDDEN, is_secret};

/// An option with its effective value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The name, without dashes.
    pub name: String,
    /// The values, without secret ones. Empty if the option has none.
    pub values: Vec<String>,
    /// The source of the values.
    pub origin: Origin,
}

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A flag of the command line.
    Flag,
    /// An environment variable.
    Variable(String),
    /// A file and its line.
    File(String),
    /// The default of the option.
    Default,
}

impl Display for Origin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("flag"),
            Self::Variable(name) => write!(f, "environment {name}"),
            Self::File(place) => f.write_str(place),
            Self::Default => f.write_str("default"),
        }
    }
}

impl Origin {
    /// Returns the origin if the option is set by the command line or the environment.
    pub(super) fn of(option: &Arg, given: &ArgMatches) -> Option<Self> {
        let variable = || option.get_env().map(OsStr::to_string_lossy);
        match given.value_source(option.get_id().as_str()) {
            Some(ValueSource::CommandLine) => Some(Self::Flag),
            Some(ValueSource::EnvVariable) => {
                variable().map(|name| Self::Variable(name.into_owned()))
            }
            _ if matches!(option.get_action(), ArgAction::Append) => {
                let first = numbered_variables(&variable()?).into_iter().next();
                first.map(|(name, _)| Self::Variable(name))
            }
            _ => None,
        }
    }
}

impl Setting {
    /// Creates the setting of an option.
    pub(super) fn new(option: &Arg, matches: &ArgMatches, origin: Origin) -> Self {
        Self {
            name: option.get_long().unwrap_or_default().to_owned(),
            values: shown(option, matches),
            origin,
        }
    }
}

/// Returns the values in readable form.
fn shown(option: &Arg, matches: &ArgMatches) -> Vec<String> {
    let raw = matches.get_raw(option.get_id().as_str());
    let values = raw
        .into_iter()
        .flatten()
        .map(|value| value.to_string_lossy().into_owned());
    let name = option.get_long().unwrap_or_default();
    let secret = |value: &str| is_secret(option) || flags::is_secret(name, value.as_ref());
    let seen = values.map(|value| match secret(&value) {
        true => HIDDEN.to_owned(),
        false if value.is_empty() => "\"\"".to_owned(),
        false => value.escape_debug().to_string(),
    });
    seen.collect()
}
