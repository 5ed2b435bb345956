use std::env;
use std::ffi::OsString;

use clap::{Arg, Command};
use thiserror::Error;

use crate::access::VARIABLE as ACCESS_TOKEN;

use super::keys::Keys;

/// The prefix of the variables that set options of the server.
const PREFIX: &str = "PYTRITON_TRITON_CONFIG_";

/// A variable of the environment that looks like an option, but is not one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "environment variable {name} has no effect, because no option has this name{}",
    nearest.as_ref().map_or_else(String::new, |nearest| format!(": did you mean {nearest}?"))
)]
pub struct UnknownVariable {
    /// Its name.
    pub name: String,
    /// The most similar name of a variable that sets an option.
    pub nearest: Option<String>,
}

/// Returns the unknown variables of the environment, sorted by name.
pub fn unknown_variables(command: &Command) -> Vec<UnknownVariable> {
    unknown(command, env::vars_os().map(|(name, _)| name))
}

fn unknown(command: &Command, names: impl Iterator<Item = OsString>) -> Vec<UnknownVariable> {
    let keys = Keys::new(command);
    let variable_of = |option: &Arg| Some(option.get_env()?.to_str()?.to_owned());
    let known: Vec<String> = command.get_arguments().filter_map(variable_of).collect();
    let is_known = |name: &str| name == ACCESS_TOKEN || known.iter().any(|known| known == name);
    let mut unknown: Vec<_> = names
        .filter_map(|name| {
            let name = name.into_string().ok()?;
            let option = name.strip_prefix(PREFIX)?.to_lowercase().replace('_', "-");
            // The values of a list have numbers.
            let (list, number) = name.rsplit_once('_').unwrap_or_default();
            let is_numbered = number.parse::<u32>().is_ok() && is_known(list);
            (!is_known(&name) && !is_numbered).then(|| {
                // An option may have a variable with another prefix.
                let is_option = keys.find(&option).is_some();
                let nearest = keys.nearest(&option).or(is_option.then_some(option));
                let mut options = command.get_arguments();
                let nearest = options.find(|option| option.get_long() == nearest.as_deref());
                let nearest = nearest.and_then(variable_of);
                UnknownVariable { name, nearest }
            })
        })
        .collect();
    unknown.sort_by(|one, other| one.name.cmp(&other.name));
    unknown
}

#[cfg(test)]
mod tests {
    use clap::ArgAction;

    use super::*;

    #[test]
    fn unknown_variables_name_the_nearest_known_one() {
        let option = |name: &'static str, variable| Arg::new(name).long(name).env(variable);
        let command = Command::new("test")
            .arg(Arg::new("first"))
            .arg(option("http-port", "PYTRITON_TRITON_CONFIG_HTTP_PORT"))
            .arg(option("engine", "PYTRITON_ENGINE"))
            .arg(
                option("load-model", "PYTRITON_TRITON_CONFIG_LOAD_MODEL").action(ArgAction::Append),
            );
        let table = [
            ("PYTRITON_TRITON_CONFIG_HTTP_PORT", None),
            ("PYTRITON_TRITON_CONFIG_LOAD_MODEL", None),
            ("PYTRITON_TRITON_CONFIG_LOAD_MODEL_0", None),
            ("PYTRITON_TRITON_CONFIG_ACCESS_TOKEN", None),
            ("PYTRITON_ENGINE", None),
            (
                "PYTRITON_TRITON_CONFIG_ENGINE",
                Some(
                    "ENGINE has no effect, because no option has this name: did you mean PYTRITON_ENGINE?",
                ),
            ),
            ("HOME", None),
            ("", None),
            (
                "PYTRITON_TRITON_CONFIG_HTTP_PROT",
                Some(
                    "HTTP_PROT has no effect, because no option has this name: did you mean PYTRITON_TRITON_CONFIG_HTTP_PORT?",
                ),
            ),
            (
                "PYTRITON_TRITON_CONFIG_",
                Some(" has no effect, because no option has this name"),
            ),
            (
                "PYTRITON_TRITON_CONFIG_XYZ_1",
                Some("XYZ_1 has no effect, because no option has this name"),
            ),
        ];
        for (name, expected) in table {
            let found = unknown(&command, [OsString::from(name)].into_iter());
            let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
            let expected = expected.map(|text| format!("environment variable {PREFIX}{text}"));
            assert_eq!(texts, Vec::from_iter(expected), "{name}");
        }
    }
}
