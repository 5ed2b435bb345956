//! What the messages say to write compiles. It is read from the programs of `tests/fail` by the build script.

#![expect(unused, reason = "nobody calls what is only to compile")]

include!(concat!(env!("OUT_DIR"), "/followed.rs"));

fn main() {}
