//! Prints what a request costs the server that a command starts: instructions, and calls of the allocator.

use std::env::args_os;
use std::process::ExitCode;

use cost::Cost;

/// How often it is counted.
const TIMES: u32 = 3;

#[expect(clippy::print_stdout, reason = "this is what it is for")]
fn main() -> ExitCode {
    let command: Vec<_> = args_os().skip(1).collect();
    match Cost::least_of(TIMES, &command) {
        Ok(cost) => {
            println!("{:.0} {:.1}", cost.instructions, cost.allocations);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
