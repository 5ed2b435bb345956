use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command};

use super::keys::{Keys, written};
use super::mistake::{Mistake, Mistakes};
use super::{File, Origin, Setting};

/// The option that names a file with options.
const CONFIG: &str = "config";

/// Variables that platforms set, and the option that each is where nobody else says what it is: Knative's, Vertex AI's and
/// SageMaker's.
const PLATFORM: [(&str, &str); 4] = [
    ("PORT", "http-port"),
    ("AIP_HTTP_PORT", "vertex-ai-port"),
    ("SAGEMAKER_BIND_TO_PORT", "sagemaker-port"),
    ("SAGEMAKER_SAFE_PORT_RANGE", "sagemaker-safe-port-range"),
];

/// The variable by which Vertex AI says that it will ask, its value then, and what it makes of options.
const PREDICTION: (&str, &str, [(&str, &str); 3]) = (
    "AIP_MODE",
    "PREDICTION",
    [
        ("allow-vertex-ai", "true"),
        ("allow-http", "false"),
        ("allow-grpc", "false"),
    ],
);

/// A command line with all that the environment and a file add to it.
#[derive(Debug)]
pub(in crate::server) struct Resolved {
    pub(in crate::server) matches: ArgMatches,
    /// Where each option comes from, in the order of `--help`; none of a command without options.
    pub(in crate::server) settings: Vec<Setting>,
}

/// Why a command line cannot be read.
#[derive(Debug)]
pub(in crate::server) enum ResolveError {
    /// It, or the environment, has a mistake; or it asks for help.
    Line(clap::Error),
    /// What it is added to has some.
    Configuration(Mistakes),
}

impl From<clap::Error> for ResolveError {
    fn from(error: clap::Error) -> Self {
        Self::Line(error)
    }
}

/// Reads arguments, and says in their place what they and the environment leave open where a file says it.
pub(in crate::server) fn resolve(
    command: &Command,
    mut arguments: Vec<OsString>,
) -> Result<Resolved, ResolveError> {
    let parse = |arguments: &[OsString]| command.clone().try_get_matches_from(arguments);
    let matches = parse(&arguments)?;
    let (level, given, depth) = match matches.subcommand() {
        Some((name, given)) => (command.find_subcommand(name), given, 1),
        None => (Some(command), &matches, 0),
    };
    // What has no variable is of that command alone, as `--help` is.
    let has_options = |level: &&Command| {
        let mut options = level.get_arguments();
        options.any(|option| option.get_id() == CONFIG)
    };
    let Some(level) = level.filter(has_options) else {
        let settings = Vec::new();
        return Ok(Resolved { matches, settings });
    };
    let mut layers = Layers::new(level, given.get_one::<PathBuf>(CONFIG));
    let mut settled = Vec::new();
    let mut added = Vec::new();
    for option in level.get_arguments() {
        let Some(name) = option.get_long().filter(|_| option.get_env().is_some()) else {
            continue;
        };
        let mut origin = Origin::of(option, given);
        if origin.is_none()
            && let Some((says, values)) = layers.say(option, name)
        {
            origin = Some(says);
            added.extend(
                values
                    .iter()
                    .filter_map(|value| written(option, name, value)),
            );
        }
        settled.push((option, origin.unwrap_or(Origin::Default)));
    }
    let mistakes = layers.file.mistakes;
    if !mistakes.is_empty() {
        return Err(ResolveError::Configuration(Mistakes(mistakes)));
    }
    let at = depth + usize::from(!command.is_no_binary_name_set());
    let at = at.min(arguments.len());
    arguments.splice(at..at, added.into_iter().map(OsString::from));
    let matches = parse(&arguments)?;
    let last = matches.subcommand().map_or(&matches, |(_, last)| last);
    let settings = settled.into_iter();
    let settings = settings.map(|(option, origin)| Setting::new(option, last, origin));
    let settings = settings.collect();
    Ok(Resolved { matches, settings })
}

/// What lies below the command line and the environment.
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

    /// The values of an option that a file or the platform has, and which of them.
    fn say(&mut self, option: &Arg, name: &str) -> Option<(Origin, Vec<String>)> {
        if let Some(entry) = self.file.entry(name) {
            return Some((Origin::File(entry.place.clone()), entry.values.clone()));
        }
        let (variable, value) = platform(name)?;
        if let Err(said) = self.keys.check(option, &value) {
            let place = format!("environment variable {variable}");
            self.file.mistakes.push(Mistake::new(place, said));
        }
        Some((Origin::Variable(variable.to_owned()), vec![value]))
    }
}

/// What a platform says of an option, and by which variable.
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
