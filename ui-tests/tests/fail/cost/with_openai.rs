use pytriton::prelude::*;

#[pytriton::model(name = "m", max_batch_cost = 16384)]
#[openai(completions)]
#[cost(prompt)]
fn f(prompt: String) -> String {
    prompt
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
//~ 5:
