use std::fmt::{self, Display, Formatter};

use thiserror::Error;

use crate::flags::{Embedded, FLAGS, Flags};

use super::TritonOptions;

/// Options that the embedded engine cannot honour.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "the embedded engine does not support {}: use `--engine tritonserver`, or remove the option",
    list(options)
)]
pub struct UnsupportedOptions {
    /// All of them, in the order of `--help`.
    pub options: Vec<UnsupportedOption>,
}

/// One unsupported option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnsupportedOption {
    /// Its name without the dashes.
    pub name: &'static str,
    /// The only value that the engine supports, if there is one.
    pub only: Option<&'static str>,
}

impl Display for UnsupportedOption {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "--{}", self.name)?;
        match self.only {
            Some(value) => write!(formatter, " (other than {value})"),
            None => Ok(()),
        }
    }
}

impl UnsupportedOptions {
    /// Checks that the embedded engine can honour the options. Logs those that have no effect on
    /// it.
    ///
    /// # Errors
    ///
    /// Returns all options that it cannot honour.
    pub fn check(parsed: &TritonOptions) -> Result<(), Self> {
        let mut options = Vec::new();
        if parsed.restart {
            options.push(UnsupportedOption {
                name: "restart",
                only: Some("false"),
            });
        }
        let flags = &parsed.flags;
        for flag in FLAGS {
            let mut values = flags.values(flag.name);
            let only = match flag.embedded {
                Embedded::Honoured | Embedded::Unneeded => continue,
                Embedded::Only(value) if values.all(|given| given == value) => continue,
                Embedded::Only(value) => Some(value),
                Embedded::Refused if values.next().is_none() => continue,
                Embedded::Refused => None,
            };
            let name = flag.name;
            options.push(UnsupportedOption { name, only });
        }
        if !options.is_empty() {
            return Err(Self { options });
        }
        for name in unneeded(flags) {
            tracing::info!("option --{name} has no effect: only tritonserver uses it");
        }
        Ok(())
    }
}

fn unneeded(flags: &Flags) -> impl Iterator<Item = &'static str> {
    FLAGS
        .iter()
        .filter(|flag| flag.embedded == Embedded::Unneeded && flags.contains(flag.name))
        .map(|flag| flag.name)
}

fn list(options: &[UnsupportedOption]) -> String {
    let options: Vec<String> = options.iter().map(ToString::to_string).collect();
    options.join(", ")
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};

    use super::*;
    use crate::Arguments;
    use crate::flags::Kind;

    fn parsed(arguments: &[String]) -> TritonOptions {
        let command = Command::new("test").no_binary_name(true);
        let command = Arguments::<TritonOptions>::augment_args(command);
        let matches = command.get_matches_from(arguments);
        Arguments::from_arg_matches(&matches).unwrap().0
    }

    #[test]
    fn unsupported_values_are_refused() {
        let given: Vec<_> = [
            "--allow-cpu-metrics=yes",
            "--allow-gpu-metrics=true",
            "--grpc-keepalive-time=5",
            "--grpc-http2-max-ping-strikes=2",
            "--cache-config=local,size=1024",
            "--http-thread-count=8",
            "--restart",
        ]
        .map(str::to_owned)
        .into();
        let parsed = parsed(&given);
        assert_eq!(
            UnsupportedOptions::check(&parsed).unwrap_err().to_string(),
            "the embedded engine does not support --restart (other than false), --grpc-http2-max-ping-strikes (other than 0), \
             --allow-gpu-metrics (other than false): use `--engine tritonserver`, or remove the option"
        );
        let unneeded: Vec<_> = unneeded(&parsed.flags).collect();
        assert_eq!(unneeded, ["http-thread-count"]);
        assert_eq!(UnsupportedOptions::check(&tests::parsed(&[])), Ok(()));
    }

    #[test]
    fn every_flag_is_classified() {
        for flag in FLAGS {
            let refused = |value: &str| {
                let parsed = parsed(&[format!("--{}={value}", flag.name)]);
                UnsupportedOptions::check(&parsed).is_err()
            };
            let values = match (flag.kind, flag.embedded) {
                (Kind::Number, _) => ["1", "2"],
                (_, Embedded::Only("none")) => ["none", "low"],
                _ => ["true", "false"],
            };
            let refused = values.map(refused);
            let expected = match flag.embedded {
                Embedded::Honoured | Embedded::Unneeded => [false, false],
                Embedded::Only(value) => values.map(|given| given != value),
                Embedded::Refused => [true, true],
            };
            assert_eq!(refused, expected, "--{}", flag.name);
        }
    }
}
