//! What comes beside the tensors: parameters of a request, and headers that are forwarded.
//!
//! Headers whose names begin with `x-` arrive with `--http-header-forward-pattern '(?i)x-.*'`, and `--grpc-header-forward-pattern`.

use pytriton::prelude::*;

/// Repeats a text as often as the parameter `times` says, for the user of the header `x-user`.
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
