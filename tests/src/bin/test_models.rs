//! The models that the end-to-end tests ask for.

use triton_test_models as _;

pytriton::main!();
