//! How clap reads options, without a trait of clap on their types.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, Args, Command, FromArgMatches};

/// Options of type `T` as arguments of a command line.
///
/// clap is a detail of the command line. Its traits are therefore implemented by this type, and not
/// by those with which a program configures a server.
#[derive(Debug, Clone)]
pub struct Arguments<T>(
    /// The options.
    pub T,
);

/// Options that [`Arguments`] can contain.
pub(crate) trait ReadOptions: Sized {
    /// Adds the options to a command.
    fn declare(command: Command) -> Command;

    /// Reads the options from the arguments of the command.
    fn read(matches: &ArgMatches) -> Result<Self, clap::Error>;
}

impl<T: ReadOptions> Args for Arguments<T> {
    fn augment_args(command: Command) -> Command {
        T::declare(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::declare(command)
    }
}

impl<T: ReadOptions> FromArgMatches for Arguments<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        T::read(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0 = T::read(matches)?;
        Ok(())
    }
}

/// Returns the parser of an option whose values have names. A row is a name, its help, and the
/// value.
pub(crate) fn named<T: Copy + Send + Sync + 'static>(
    table: &'static [(&'static str, &'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let names = table
        .iter()
        .map(|&(name, help, _)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names).try_map(|name| {
        let row = table.iter().find(|row| row.0 == name);
        row.map(|row| row.2).ok_or("not a name of a value")
    })
}

/// Declares a struct of options, each with its attribute `#[arg]`. `heading` is the heading of the
/// options in `--help`. `groups` are fields whose types are structs of options, too.
///
/// clap derives its traits for a private struct with the same fields.
macro_rules! options {
    (
        $(heading = $heading:expr;)?
        $(#[$attribute:meta])*
        pub struct $options:ident {
            $($(#[doc = $help:tt])* #[arg $arg:tt] pub $field:ident: $type:ty,)*
        }
        $(groups {
            $($(#[doc = $about:tt])* pub $group:ident: $group_type:ty,)*
        })?
    ) => {
        $(#[$attribute])*
        pub struct $options {
            $($(#[doc = $help])* pub $field: $type,)*
            $($($(#[doc = $about])* pub $group: $group_type,)*)?
        }

        const _: () = {
            #[derive(::clap::Args)]
            // Group names must be unique in a command, and the program names its own.
            #[group(skip)]
            $(#[command(next_help_heading = $heading)])?
            struct Fields {
                $($(#[doc = $help])* #[arg $arg] $field: $type,)*
                $($(#[command(flatten)] $group: $crate::arguments::Arguments<$group_type>,)*)?
            }

            impl $crate::arguments::ReadOptions for $options {
                fn declare(command: ::clap::Command) -> ::clap::Command {
                    <Fields as ::clap::Args>::augment_args(command)
                }

                fn read(matches: &::clap::ArgMatches) -> Result<Self, ::clap::Error> {
                    let fields = <Fields as ::clap::FromArgMatches>::from_arg_matches(matches)?;
                    Ok(Self {
                        $($field: fields.$field,)*
                        $($($group: fields.$group.0,)*)?
                    })
                }
            }
        };
    };
}

pub(crate) use options;
