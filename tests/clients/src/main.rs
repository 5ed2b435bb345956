//! The models that the tests of the clients ask for.

use triton_test_clients as _;

pytriton::main!();
