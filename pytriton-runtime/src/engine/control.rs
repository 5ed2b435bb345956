use std::fmt;
use std::str::FromStr;

use clap::Args;
use clap::builder::BoolishValueParser;
use thiserror::Error;

/// The name that stands for all models.
const ALL: &str = "*";

/// Which models are loaded, when, and what becomes of the server where one cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct ControlOptions {
    /// Whether clients may load and unload models: none, explicit, or poll (with --model-repository, beside tritonserver)
    #[arg(
        long,
        env = "PYTRITON_TRITON_CONFIG_MODEL_CONTROL_MODE",
        value_name = "MODE",
        default_value_t
    )]
    pub model_control_mode: ControlMode,

    /// Name of a model that is loaded at the start, where the mode is explicit; `*` for all. May be repeated
    #[arg(
        long,
        env = "PYTRITON_TRITON_CONFIG_LOAD_MODEL",
        value_name = "NAME",
        value_delimiter = ','
    )]
    pub load_model: Vec<String>,

    /// Whether a model that cannot be loaded at the start ends the server
    #[arg(long, env = "PYTRITON_TRITON_CONFIG_EXIT_ON_ERROR", value_name = "BOOL", default_value = "true", value_parser = BoolishValueParser::new(), action = clap::ArgAction::Set)]
    pub exit_on_error: bool,

    /// Whether the server is only ready when all models are
    #[arg(long, env = "PYTRITON_TRITON_CONFIG_STRICT_READINESS", value_name = "BOOL", default_value = "true", value_parser = BoolishValueParser::new(), action = clap::ArgAction::Set)]
    pub strict_readiness: bool,

    /// Models that are loaded side by side
    #[arg(
        long,
        env = "PYTRITON_TRITON_CONFIG_MODEL_LOAD_THREAD_COUNT",
        value_name = "NUMBER",
        default_value_t = 4
    )]
    pub model_load_thread_count: u32,

    /// How often a model that cannot be loaded is tried again
    #[arg(
        long,
        env = "PYTRITON_TRITON_CONFIG_MODEL_LOAD_RETRY_COUNT",
        value_name = "NUMBER",
        default_value_t = 0
    )]
    pub model_load_retry_count: u32,
}

/// Who says when a model is loaded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ControlMode {
    /// Nobody: all are, at the start.
    #[default]
    None,
    /// Clients, and the options at the start.
    Explicit,
    /// The model repository, which tritonserver looks at from time to time.
    Poll,
}

/// Options that cannot be followed. The texts are those of Triton 2.51 where it has one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ControlError {
    /// Models to load at the start, where all are.
    #[error("Use of '--load-model' requires setting '--model-control-mode=explicit' as well.")]
    LoadModel,
    /// All models, and some.
    #[error("Wildcard model name '*' must be the ONLY startup model if specified at all.")]
    Wildcard,
    /// Models that are not there.
    #[error(
        "failed to load all models: '{model}' of --load-model is not found in any model repository"
    )]
    Unknown {
        /// The first of them.
        model: String,
    },
    /// A repository that is looked at, where there is none that could change.
    #[error(
        "--model-control-mode=poll has nothing to look at: the models are part of this binary; leave it out, take explicit, or \
         give --engine tritonserver a folder with further models (--model-repository)"
    )]
    Poll,
}

impl ControlOptions {
    /// Whether the options go together.
    ///
    /// # Errors
    ///
    /// A [`ControlError`].
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

    /// Whether the model of that name is loaded at the start.
    pub fn at_start(&self, name: &str) -> bool {
        let mut names = self.load_model.iter();
        self.model_control_mode != ControlMode::Explicit
            || names.any(|asked| asked == ALL || asked == name)
    }

    /// The models that are asked for by their names.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        let names = self.load_model.iter().map(String::as_str);
        names.filter(|name| *name != ALL)
    }
}

/// What the options are where nothing is said.
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

/// In any case, as Triton reads it.
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
    use clap::{Command, FromArgMatches};

    use super::*;

    fn parse(arguments: &[&str]) -> Result<ControlOptions, String> {
        let command = ControlOptions::augment_args(Command::new("test").no_binary_name(true));
        let matches = command.try_get_matches_from(arguments);
        let matches = matches.map_err(|error| error.to_string())?;
        let options =
            ControlOptions::from_arg_matches(&matches).map_err(|error| error.to_string())?;
        options.check().map_err(|error| error.to_string())?;
        Ok(options)
    }

    #[test]
    fn options_that_do_not_go_together_are_refused() {
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
    fn says_which_models_are_loaded_at_the_start() {
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
