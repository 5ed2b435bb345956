//! The table of all decorators.

use super::{Decorator, cost, fill_optionals, first_value, input, openai, output, step, warmup};

/// Passes the table to the macro `$macro`.
///
/// A row is the name of a decorator, the places it may be applied to, the correct place for error
/// messages, and, for a step, its stage and the runtime type. With braces after the type, the
/// decorator takes parameters of the function and these options. Each option names a method of the
/// type, whether it takes its value by reference, and an example.
///
/// The decorators with a grammar of their own are files, with a module in `decorators`.
macro_rules! table {
    ($macro:ident) => {
        $macro! {
            rows {
                group_by_keys { [Function] "the function itself, above `#[batch]`", Requests }
                batch { [Function] "the function itself", Batch }
                sample { [Function] "the function itself", Batch }
                group_by_values {
                    [Function] "the function itself, below `#[batch]`", Groups
                    => GroupByValues { pad_fn: pad(by_reference true) "ConstantPadder::new(0)" }
                }
                pad_batch {
                    [Function] "the function itself, below `#[batch]`", Padding => PadBatch
                }
                load { [Method] "a method of an `impl` block under `#[pytriton::model]`" }
                infer { [Method] "a method of an `impl` block under `#[pytriton::model]`" }
                sequence { [Parameter Method] "a parameter: `#[sequence] state: &mut State`" }
            }
            files { cost fill_optionals first_value input openai output step warmup }
        }
    };
}

pub(crate) use table;

/// Defines the decorators that are rows, and the list of all.
macro_rules! define {
    (
        rows {$(
            $row:ident {
                [$($place:ident)+] $belongs:literal
                $(, $stage:ident $(=> $step:ident $({$(
                    $option:ident: $method:ident(by_reference $by_reference:literal)
                        $example:literal
                ),*})?)?)?
            }
        )*}
        files { $($file:ident)* }
    ) => {
        pub(crate) mod rows {$(
            pub(crate) mod $row {
                use crate::decorators::{Decorator, Place};

                pub(crate) const DECORATOR: Decorator = Decorator {
                    name: stringify!($row),
                    places: &[$(Place::$place),+],
                    belongs: $belongs,
                    $(
                        stage: Some(crate::decorators::Stage::$stage),
                        $(
                            steps: define!(@steps $step $({$(
                                $option: $method $by_reference $example
                            ),*})?),
                        )?
                    )?
                    ..Decorator::NONE
                };
            }
        )*}

        pub(super) const DECORATORS: &[&Decorator] = &[
            $(&rows::$row::DECORATOR,)*
            $(&$file::DECORATOR),*
        ];
    };
    (@steps $step:ident) => {
        |decoration, _, errors| {
            decoration.options(errors);
            vec![quote::quote!(__private::$step)]
        }
    };
    (@steps $step:ident {$(
        $option:ident: $method:ident $by_reference:literal $example:literal
    ),*}) => {
        |decoration, inputs, errors| {
            use crate::decorators::named_inputs::{self, StepOption};
            let options = [$(StepOption {
                name: stringify!($option),
                method: stringify!($method),
                by_reference: $by_reference,
                example: $example,
            }),*];
            let step = stringify!($step);
            vec![named_inputs::step(step, &options, decoration, inputs, errors)]
        }
    };
}

table!(define);
