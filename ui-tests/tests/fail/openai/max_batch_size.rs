use pytriton::prelude::*;

#[pytriton::model(name = "m", max_batch_size = 8)]
#[openai(completions)]
fn f(prompt: String) -> String {
    prompt
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
