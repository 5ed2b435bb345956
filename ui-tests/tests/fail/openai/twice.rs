use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(completions)]
#[openai(chat)]
fn f(prompt: String) -> String {
    prompt
}

fn main() {}

//~ 5: //
