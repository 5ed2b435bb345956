use std::fmt;
use std::str::FromStr;

use clap::builder::BoolishValueParser;
use pytriton_core::registry::OptionOverride;
use thiserror::Error;

use crate::arguments::options;

/// The name that selects all models.
const ALL: &str = "*";

options! {
    /// Options for loading models.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ControlOptions {
        /// Whether clients may load and unload models: none, explicit, or poll (with
        /// --model-repository, tritonserver only)
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_MODEL_CONTROL_MODE",
            value_name = "MODE",
            default_value_t
        )]
        pub model_control_mode: ControlMode,

        /// Name of a model to load at startup in the explicit mode; `*` for all. May be repeated
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_LOAD_MODEL",
            value_name = "NAME",
            value_delimiter = ','
        )]
        pub load_model: Vec<String>,

        /// Whether the server exits if a model cannot be loaded at startup
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_EXIT_ON_ERROR", value_name = "BOOL", default_value = "true", value_parser = BoolishValueParser::new(), action = clap::ArgAction::Set)]
        pub exit_on_error: bool,

        /// Whether the server is ready only when all models are ready
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_STRICT_READINESS", value_name = "BOOL", default_value = "true", value_parser = BoolishValueParser::new(), action = clap::ArgAction::Set)]
        pub strict_readiness: bool,

        /// Number of models that are loaded in parallel
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_MODEL_LOAD_THREAD_COUNT",
            value_name = "NUMBER",
            default_value_t = 4
        )]
        pub model_load_thread_count: u32,

        /// Number of retries for a model that cannot be loaded
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_MODEL_LOAD_RETRY_COUNT",
            value_name = "NUMBER",
            default_value_t = 0
        )]
        pub model_load_retry_count: u32,
    }
}

options! {
    /// Options of models that replace those in the source code.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct OverrideOptions {
        /// Option of a model, instead of the one in the source code. May be repeated; in the
        /// environment, the variables of further options end with `_0`, `_1` and so on
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_MODEL",
            value_name = "NAME.OPTION=VALUE"
        )]
        pub model: Vec<OptionOverride>,
    }
}

/// How the loading of models is controlled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ControlMode {
    /// All models are loaded at startup.
    #[default]
    None,
    /// Clients, and the options at startup.
    Explicit,
    /// The model repository, which tritonserver polls for changes.
    Poll,
}

/// The options contradict each other. The messages are those of Triton 2.51 if it has one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ControlError {
    /// Models to load at startup in a mode in which all are loaded.
    #[error("Use of '--load-model' requires setting '--model-control-mode=explicit' as well.")]
    LoadModel,
    /// The wildcard together with other names.
    #[error("Wildcard model name '*' must be the ONLY startup model if specified at all.")]
    Wildcard,
    /// A model does not exist.
    #[error(
        "failed to load all models: '{model}' of --load-model is not found in any model repository"
    )]
    Unknown {
        /// The first missing model.
        model: String,
    },
    /// The poll mode without a repository that could change.
    #[error(
        "--model-control-mode=poll has no repository to poll, because the models are part of this binary: remove it, use explicit, or give --engine tritonserver a folder with additional models (--model-repository)"
    )]
    Poll,
}

impl ControlOptions {
    /// Checks that the options are consistent.
    ///
    /// # Errors
    ///
    /// Returns a [`ControlError`] if they are not.
    pub fn check(&self) -> Result<(), ControlError> {
        let names = &self.load_model;
        if self.model_control_mode != ControlMode::Explicit && !names.is_empty() {
            return Err(ControlError::LoadModel);
        }
        match names.len() > 1 && names.iter().any(|name| name == ALL) {
            true => Err(ControlError::Wildcard),
            false => Ok(()),
        }
    }

    /// Returns whether a model is loaded at startup.
    pub fn at_start(&self, name: &str) -> bool {
        let mut names = self.load_model.iter();
        self.model_control_mode != ControlMode::Explicit
            || names.any(|asked| asked == ALL || asked == name)
    }

    /// Returns the models that are requested by name.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        let names = self.load_model.iter().map(String::as_str);
        names.filter(|name| *name != ALL)
    }
}

/// The default options.
impl Default for ControlOptions {
    fn default() -> Self {
        Self {
            model_control_mode: ControlMode::None,
            load_model: Vec::new(),
            exit_on_error: true,
            strict_readiness: true,
            model_load_thread_count: 4,
            model_load_retry_count: 0,
        }
    }
}

impl fmt::Display for ControlMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Explicit => "explicit",
            Self::Poll => "poll",
        })
    }
}

/// Ignores case, like Triton.
impl FromStr for ControlMode {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let modes = [Self::None, Self::Explicit, Self::Poll];
        let named = |mode: &Self| mode.to_string().eq_ignore_ascii_case(text);
        modes
            .into_iter()
            .find(named)
            .ok_or("invalid argument for --model-control-mode")
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};

    use super::*;
    use crate::Arguments;

    fn parse(arguments: &[&str]) -> Result<ControlOptions, String> {
        let command = Command::new("test").no_binary_name(true);
        let command = Arguments::<ControlOptions>::augment_args(command);
        let matches = command.try_get_matches_from(arguments);
        let matches = matches.map_err(|error| error.to_string())?;
        let options = Arguments::<ControlOptions>::from_arg_matches(&matches);
        let Arguments(options) = options.map_err(|error| error.to_string())?;
        options.check().map_err(|error| error.to_string())?;
        Ok(options)
    }

    #[test]
    fn conflicting_options_are_refused() {
        assert_eq!(parse(&[]), Ok(ControlOptions::default()));
        let wildcard = "Wildcard model name '*' must be the ONLY";
        let table: [(&[&str], &str); 6] = [
            (
                &["--model-control-mode=x"],
                "invalid argument for --model-control-mode",
            ),
            (
                &["--load-model=A"],
                "requires setting '--model-control-mode=explicit'",
            ),
            (
                &["--model-control-mode=poll", "--load-model=A"],
                "requires setting",
            ),
            (
                &[
                    "--model-control-mode=explicit",
                    "--load-model=*",
                    "--load-model=A",
                ],
                wildcard,
            ),
            (
                &["--model-control-mode=EXPLICIT", "--load-model=A,*"],
                wildcard,
            ),
            (&["--exit-on-error=maybe"], "maybe"),
        ];
        for (arguments, expected) in table {
            let error = parse(arguments).unwrap_err();
            assert!(error.contains(expected), "{arguments:?}: {error}");
        }
    }

    #[test]
    fn control_mode_selects_models_loaded_at_startup() {
        let explicit = "--model-control-mode=Explicit";
        let table: [(&[&str], [bool; 2]); 5] = [
            (&[], [true, true]),
            (&["--model-control-mode=poll"], [true, true]),
            (&[explicit], [false, false]),
            (&[explicit, "--load-model=A"], [true, false]),
            (&[explicit, "--load-model=*"], [true, true]),
        ];
        for (arguments, expected) in table {
            let options = parse(arguments).unwrap();
            let loaded = ["A", "B"].map(|name| options.at_start(name));
            assert_eq!(loaded, expected, "{arguments:?}");
        }
    }
}
