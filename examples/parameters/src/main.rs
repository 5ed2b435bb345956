//! Request parameters and forwarded headers.
//!
//! To forward headers whose names begin with `x-`, pass `--http-header-forward-pattern '(?i)x-.*'`
//! and `--grpc-header-forward-pattern`.

use pytriton::prelude::*;

/// Repeats a text `times` times (a parameter), for the user in the header `x-user`.
#[pytriton::model(name = "Greet", max_batch_size = 8)]
#[batch]
fn greet(
    #[input(shape = [1])] text: Array2<String>,
    parameters: &Parameters,
    context: &Context,
) -> Result<Array2<String>, String> {
    let wished = match parameters.int("times") {
        None => 1,
        Some(times) => usize::try_from(times).unwrap_or(0),
    };
    if !(1..=9).contains(&wished) {
        return Err(format!("times must be from 1 to 9, not {wished}"));
    }
    let user = parameters.str("x-user").unwrap_or("stranger");
    let instance = context.instance();
    let greeting = |text: String| {
        let text = vec![text; wished].join(" ");
        format!("{text} {user}, from instance {instance}")
    };
    Ok(text.mapv(greeting))
}

pytriton::main!();
