use pytriton::prelude::*;

#[pytriton::model(name = "m", response_cache = true)]
#[openai(completions)]
fn f(prompt: String) -> String {
    prompt
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
