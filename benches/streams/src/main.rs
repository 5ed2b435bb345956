//! Serves the models of the library.

use triton_streams_backend as _;

pytriton::main!();
