#![deny(warnings)]

use pytriton::prelude::*;

const MAX_ROWS: u32 = 8;

const fn width() -> i64 {
    4
}

#[pytriton::model(name = "sum", max_batch_size = MAX_ROWS)]
#[warmup(name = "one", inputs(x = zero([width()]), scale = random))]
#[warmup(name = "full", batch_size = MAX_ROWS, count = 3, inputs(x = random([128]), scale = zero, bias = file("bias.npy"),))]
#[batch]
fn sum(
    x: ArrayView2<f32>,
    #[input(shape = [1])] scale: ArrayView2<f32>,
    bias: Option<ArrayView2<f32>>,
) -> Array2<f32> {
    let _ = bias;
    &x * &scale
}

#[pytriton::model(name = "raw", batching = false)]
#[input(name = "x", datatype = FP32, shape = [-1, 2])]
#[warmup(name = "file", inputs(x = file(concat!("x", ".raw"), [3, 2])))]
fn raw(requests: &[Request]) -> Vec<Result<Array2<f32>, String>> {
    requests.iter().map(|_| Err("no".to_owned())).collect()
}

#[pytriton::model(name = "WarmChat")]
#[openai(completions)]
#[pytriton::warmup(name = "one", count = 2, inputs(prompt = random))]
fn chat(prompt: String) -> String {
    prompt
}

pub(crate) fn main() {}
