//! The models for the end-to-end tests.

use triton_test_models as _;

pytriton::main!();
