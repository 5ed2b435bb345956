//! The models for the client tests.

use triton_test_clients as _;

pytriton::main!();
