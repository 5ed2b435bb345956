//! Prints the cost of a request for the server that a command starts: instructions, and calls of
//! the allocator.
//!
//! `cost [--header HEADER]... COMMAND...`: the headers are added to the request.

use std::env::args_os;
use std::process::ExitCode;

use cost::Cost;

/// The number of measurements.
const TIMES: u32 = 3;

#[expect(clippy::print_stdout, reason = "this is what it is for")]
fn main() -> ExitCode {
    let mut command: Vec<_> = args_os().skip(1).collect();
    let mut headers = Vec::new();
    while command.len() > 1 && command[0] == "--header" {
        headers.extend(
            command
                .drain(..2)
                .skip(1)
                .map(|header| header.to_string_lossy().into_owned()),
        );
    }
    match Cost::least_of(TIMES, &headers, &command) {
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
