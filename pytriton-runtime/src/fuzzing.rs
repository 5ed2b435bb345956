//! Entry points for the fuzz targets in `fuzz/`. Not public API.

pub use pytriton_embedded::fuzzing::*;

pub use crate::server::settings::fuzzing::options;
