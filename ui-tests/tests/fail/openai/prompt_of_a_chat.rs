use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(chat)]
fn f(prompt: String) -> String {
    prompt
}

fn main() {}

//~ 4: #[openai(completions)]
