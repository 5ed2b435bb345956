//! The code that the messages suggest must compile. The build script extracts it from the programs
//! of `tests/fail`.

#![expect(unused, reason = "the functions only have to compile")]

include!(concat!(env!("OUT_DIR"), "/followed.rs"));

fn main() {}
