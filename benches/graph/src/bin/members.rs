//! Serves the members alone, for `benches/calls`.

use triton_graph as _;

pytriton::main!();
