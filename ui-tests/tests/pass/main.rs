//! The accepted programs: each is a module whose `main` is a test. A test checks that no program of
//! this directory is missing.

// For `openai_models`: only the root of a crate can add a crate to the extern prelude.
extern crate std as openai;

use std::path::Path;

use pytriton_ui_tests::advice::entries;

mod async_fn;
mod batch;
// Public, because the program forbids unreachable public items.
pub mod clients;
mod constants;
mod costs;
mod crate_path;
mod deprecated;
mod devices;
mod docs;
mod element_types;
mod elements;
mod error_types;
mod examples;
mod first_value;
mod forbid_deprecated;
mod from_macro_rules;
mod hygiene;
mod identity;
mod imports;
mod input_names;
mod inputs_struct;
mod instance_counts;
mod legitimate_aliases;
mod lifetimes;
mod model_parameters;
mod no_inputs;
mod onnx_models;
mod openai_embeddings;
mod openai_models;
mod optional;
mod optional_outputs;
mod options;
mod output_names;
mod outputs_crate_path;
mod outputs_struct;
mod parameters;
mod placement;
mod plain;
mod priorities;
mod private_error;
mod qualified_paths;
mod ragged;
mod raw;
mod result;
mod sample;
mod sequences;
mod shared_states;
mod state;
mod state_load_fails;
mod state_shared;
mod steps;
mod streaming;
mod types_decide;
mod warmup;
mod without_helper;

/// Runs each program, and lists their names.
macro_rules! programs {
    ($($name:ident)*) => {
        const PROGRAMS: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                $name::main();
            }
        )*
    };
}

programs! {
    async_fn
    batch
    clients
    constants
    costs
    crate_path
    deprecated
    devices
    docs
    element_types
    elements
    error_types
    examples
    first_value
    forbid_deprecated
    from_macro_rules
    hygiene
    identity
    imports
    input_names
    inputs_struct
    instance_counts
    legitimate_aliases
    lifetimes
    model_parameters
    no_inputs
    onnx_models
    openai_embeddings
    openai_models
    optional
    optional_outputs
    options
    output_names
    outputs_crate_path
    outputs_struct
    parameters
    placement
    plain
    priorities
    private_error
    qualified_paths
    ragged
    raw
    result
    sample
    sequences
    shared_states
    state
    state_load_fails
    state_shared
    steps
    streaming
    types_decide
    warmup
    without_helper
}

#[test]
fn every_program_has_a_test() {
    for program in entries(Path::new("tests/pass")) {
        let name = program.file_stem().unwrap().to_string_lossy();
        let listed = name == "main" || PROGRAMS.contains(&&*name);
        assert!(listed, "add {name} to tests/pass/main.rs");
    }
}
