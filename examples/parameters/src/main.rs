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
    let times = match parameters.int("times") {
        None => 1,
        Some(times @ 1..=9) => times as usize,
        Some(times) => return Err(format!("times must be from 1 to 9, not {times}")),
    };
    let user = parameters.str("x-user").unwrap_or("stranger");
    let instance = context.instance();
    let greeting = |text: String| {
        let text = vec![text; times].join(" ");
        format!("{text} {user}, from instance {instance}")
    };
    Ok(text.mapv(greeting))
}

pytriton::main!();
