use std::ffi::OsString;
use std::path::PathBuf;

/// How the program is used.
pub(crate) const USAGE: &str = "\
Serves each ONNX file as a model with the name of the file.

Usage: pytriton serve [--batching] FILE… [OPTION…]

--batching  axis 0 is the batch in all files, whatever its names are: row n of each
            output depends only on row n of the inputs
FILE…       one or more ONNX files
OPTION…     options of the server, such as `--http-port 9000`; the first other
            argument that starts with `-` is the first of them
";

const BATCHING: &str = "--batching";

/// The parsed arguments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Serve {
        files: Vec<PathBuf>,
        /// Whether axis 0 is the batch in all files.
        batching: bool,
        /// The arguments of the server.
        options: Vec<OsString>,
    },
    Help,
    Version,
    /// The reason why the arguments are not valid.
    Invalid(String),
}

impl Command {
    /// Parses the arguments, without the name of the program.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Self {
        let mut arguments = arguments.into_iter().peekable();
        let command = arguments.next().unwrap_or_default();
        match command.to_str() {
            Some("serve") => {}
            Some("help" | "-h" | "--help") => return Self::Help,
            Some("-V" | "--version") => return Self::Version,
            Some("") => return Self::Invalid("expected the command `serve`".to_owned()),
            _ => {
                let command = command.display();
                let reason = format!("unknown command `{command}`: expected `serve`");
                return Self::Invalid(reason);
            }
        }
        let is_own = |argument: &OsString| {
            argument == BATCHING || !argument.as_encoded_bytes().starts_with(b"-")
        };
        let (mut files, mut batching) = (Vec::new(), false);
        while let Some(argument) = arguments.next_if(is_own) {
            match argument == BATCHING {
                true => batching = true,
                false => files.push(argument.into()),
            }
        }
        match arguments.peek().and_then(|option| option.to_str()) {
            Some("-h" | "--help") => Self::Help,
            _ if files.is_empty() => {
                Self::Invalid("expected one or more ONNX files after `serve`".to_owned())
            }
            _ => Self::Serve {
                files,
                batching,
                options: arguments.collect(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_end_at_the_first_option() {
        let parse = |text: &str| Command::parse(text.split_whitespace().map(Into::into));
        let command = |files: &[&str], batching, options: &[&str]| Command::Serve {
            files: files.iter().map(Into::into).collect(),
            batching,
            options: options.iter().map(Into::into).collect(),
        };
        let serve = |files: &[&str], options: &[&str]| command(files, false, options);
        let invalid = |reason: &str| Command::Invalid(reason.to_owned());
        let table = [
            ("serve a.onnx", serve(&["a.onnx"], &[])),
            ("serve a b", serve(&["a", "b"], &[])),
            (
                "serve a --http-port 9 b",
                serve(&["a"], &["--http-port", "9", "b"]),
            ),
            ("serve --batching a", command(&["a"], true, &[])),
            (
                "serve a --batching b -v --batching",
                command(&["a", "b"], true, &["-v", "--batching"]),
            ),
            (
                "serve --batching",
                invalid("expected one or more ONNX files after `serve`"),
            ),
            ("serve a --help", Command::Help),
            ("serve --help", Command::Help),
            ("--help", Command::Help),
            ("--version", Command::Version),
            (
                "serve --http-port 9",
                invalid("expected one or more ONNX files after `serve`"),
            ),
            (
                "serve",
                invalid("expected one or more ONNX files after `serve`"),
            ),
            ("", invalid("expected the command `serve`")),
            (
                "a.onnx",
                invalid("unknown command `a.onnx`: expected `serve`"),
            ),
        ];
        for (arguments, expected) in table {
            assert_eq!(parse(arguments), expected, "{arguments}");
        }
    }
}
