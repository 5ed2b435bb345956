//! The functions of the library, served.

use triton_streams_backend as _;

pytriton::main!();
