//! The model of the tests of the generate extension.

use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

/// Returns the prompt once or, with `STREAM`, as often as the parameter `REPETITION` specifies.
#[pytriton::model(name = "mock_llm", batching = false)]
#[output(name = "TEXT", shape = [1, -1])]
fn mock_llm(
    #[input(name = "PROMPT", shape = [1, 1])] prompt: Array2<Vec<u8>>,
    #[input(name = "STREAM", shape = [1, 1])] stream: ArrayView2<bool>,
    #[input(name = "input_ids", shape = [1, -1])] _: Option<ArrayView2<i32>>,
    parameters: &Parameters,
) -> impl Iterator<Item = Result<Array2<Vec<u8>>, String>> + use<> {
    let stream = stream[[0, 0]];
    let int = |name| parameters.int(name).map(|number| number as f64);
    let delay = parameters.double("DELAY").or(int("DELAY"));
    let delay = Duration::from_secs_f64(delay.unwrap_or_default());
    let text = match parameters.bool("OUTPUT_0_DIM") {
        Some(true) => Array2::default((1, 0)),
        _ => prompt,
    };
    let count = match stream {
        true => parameters.int("REPETITION").unwrap_or(1),
        false => 1,
    };
    let fails = stream && parameters.bool("FAIL_LAST") == Some(true);
    let texts = (0..count).map(move |_| {
        thread::sleep(delay);
        Ok(text.clone())
    });
    texts.chain(fails.then(|| Err("An Error Occurred".to_owned())))
}
