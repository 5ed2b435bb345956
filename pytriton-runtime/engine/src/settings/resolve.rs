use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::environment::numbered_variables;
use super::keys::{Keys, written};
use super::validation_error::{ValidationError, ValidationErrors};
use super::{File, Origin, Setting};

/// The option that names the configuration file.
const CONFIG: &str = "config";

/// Variables set by platforms (Knative, Vertex AI, SageMaker), and the options that they set if no
/// other source does.
const PLATFORM: [(&str, &str); 4] = [
    ("PORT", "http-port"),
    ("AIP_HTTP_PORT", "vertex-ai-port"),
    ("SAGEMAKER_BIND_TO_PORT", "sagemaker-port"),
    ("SAGEMAKER_SAFE_PORT_RANGE", "sagemaker-safe-port-range"),
];

/// The variable and value by which Vertex AI announces prediction requests, and the options that
/// they set.
const PREDICTION: (&str, &str, [(&str, &str); 3]) = (
    "AIP_MODE",
    "PREDICTION",
    [
        ("allow-vertex-ai", "true"),
        ("allow-http", "false"),
        ("allow-grpc", "false"),
    ],
);

/// A parsed command line, merged with the environment and the file.
#[derive(Debug)]
pub struct Resolved {
    /// The values of all sources.
    pub matches: ArgMatches,
    /// The origin of each option, in the order of `--help`. Empty for a command without options.
    pub settings: Vec<Setting>,
}

/// Why a command line cannot be parsed.
#[derive(Debug)]
pub enum ResolveError {
    /// The command line or the environment is invalid, or help is requested.
    Line(clap::Error),
    /// The file or the variables of the platform are invalid.
    Configuration(ValidationErrors),
}

impl From<clap::Error> for ResolveError {
    fn from(error: clap::Error) -> Self {
        Self::Line(error)
    }
}

/// Parses arguments. Options that neither they nor the environment set are taken from the file.
///
/// # Errors
///
/// Returns a [`ResolveError`] for help, a mistake in the command line, or all mistakes in the file.
pub fn resolve(command: &Command, mut arguments: Vec<OsString>) -> Result<Resolved, ResolveError> {
    let parse = |arguments: &[OsString]| command.clone().try_get_matches_from(arguments);
    // The file may contain what is missing, so it is read first.
    let (matches, missing) = match parse(&arguments) {
        Ok(matches) => (matches, None),
        Err(error) if error.kind() == ErrorKind::MissingRequiredArgument => {
            let optional = without_requirements(command.clone());
            (optional.try_get_matches_from(&arguments)?, Some(error))
        }
        Err(error) => return Err(error.into()),
    };
    let (level, given, depth) = match matches.subcommand() {
        Some((name, given)) => (command.find_subcommand(name), given, 1),
        None => (Some(command), &matches, 0),
    };
    // Options without a variable, such as `--help`, belong to one command only.
    let has_options = |level: &&Command| {
        let mut options = level.get_arguments();
        options.any(|option| option.get_id() == CONFIG)
    };
    let Some(level) = level.filter(has_options) else {
        let settings = Vec::new();
        return match missing {
            Some(error) => Err(error.into()),
            None => Ok(Resolved { matches, settings }),
        };
    };
    // A file contains the options of all commands.
    let mut layers = Layers::new(command, given.get_one::<PathBuf>(CONFIG));
    let mut settled = Vec::new();
    let mut added = Vec::new();
    for option in level.get_arguments() {
        let Some(name) = option.get_long().filter(|_| option.get_env().is_some()) else {
            continue;
        };
        let mut origin = Origin::of(option, given);
        if matches!(origin, Some(Origin::Variable(_))) {
            added.extend(layers.numbered(option, name));
        }
        if origin.is_none()
            && let Some((says, values)) = layers.configured(option, name)
        {
            origin = Some(says);
            added.extend(
                values
                    .iter()
                    .filter_map(|value| written(option, name, value))
                    .map(OsString::from),
            );
        }
        settled.push((option, origin.unwrap_or(Origin::Default)));
    }
    let mistakes = layers.file.mistakes;
    if !mistakes.is_empty() {
        return Err(ResolveError::Configuration(ValidationErrors(mistakes)));
    }
    let at = depth + usize::from(!command.is_no_binary_name_set());
    let at = at.min(arguments.len());
    arguments.splice(at..at, added);
    let matches = parse(&arguments)?;
    let last = matches.subcommand().map_or(&matches, |(_, last)| last);
    let settings = settled.into_iter();
    let settings = settings.map(|(option, origin)| Setting::new(option, last, origin));
    let settings = settings.collect();
    Ok(Resolved { matches, settings })
}

/// Returns a command without required arguments.
fn without_requirements(command: Command) -> Command {
    let optional = |command: Command| command.mut_args(|argument| argument.required(false));
    optional(command).mut_subcommands(optional)
}

/// The sources with lower precedence than the command line and the environment.
#[derive(Debug)]
struct Layers {
    keys: Keys,
    file: File,
}

impl Layers {
    fn new(command: &Command, path: Option<&PathBuf>) -> Self {
        let keys = Keys::new(command);
        let file = path.map_or_else(File::default, |path| File::read(path, &keys));
        Self { keys, file }
    }

    /// Returns the values of an option from the file or the platform, and their origin.
    fn configured(&mut self, option: &Arg, name: &str) -> Option<(Origin, Vec<String>)> {
        if let Some(entry) = self.file.entry(name) {
            return Some((Origin::File(entry.place.clone()), entry.values.clone()));
        }
        let (variable, value) = platform(name)?;
        self.check(option, variable, &value);
        Some((Origin::Variable(variable.to_owned()), vec![value]))
    }

    /// Returns the arguments for an option that may be repeated, if some of its values are in
    /// numbered variables. They are added to the value of the variable without a number.
    fn numbered(&mut self, option: &Arg, name: &str) -> Vec<OsString> {
        let is_list = matches!(option.get_action(), ArgAction::Append);
        let Some(variable) = option.get_env().filter(|_| is_list) else {
            return Vec::new();
        };
        let variable = variable.to_string_lossy();
        let mut variables = numbered_variables(&variable);
        if !variables.is_empty()
            && let Some(value) = env::var_os(&*variable)
        {
            variables.insert(0, (variable.into_owned(), value));
        }
        let arguments = variables.into_iter().map(|(variable, value)| {
            self.check(option, &variable, &value.to_string_lossy());
            let mut argument = OsString::from(format!("--{name}="));
            argument.push(value);
            argument
        });
        arguments.collect()
    }

    /// Records the mistake in the value of a variable, if there is one.
    fn check(&mut self, option: &Arg, variable: &str, value: &str) {
        if let Err(error) = self.keys.check(option, value) {
            let place = format!("environment variable {variable}");
            self.file.mistakes.push(ValidationError::new(place, error));
        }
    }
}

/// Returns the value that a platform sets for an option, and the variable.
fn platform(name: &str) -> Option<(&'static str, String)> {
    let (variable, prediction, options) = PREDICTION;
    let asked = || env::var_os(variable).is_some_and(|value| value == prediction);
    if let Some((_, value)) = options.into_iter().find(|(option, _)| *option == name) {
        return asked().then(|| (variable, value.to_owned()));
    }
    let (variable, _) = PLATFORM.into_iter().find(|(_, option)| *option == name)?;
    let value = env::var_os(variable)?;
    Some((variable, value.to_string_lossy().into_owned()))
}
