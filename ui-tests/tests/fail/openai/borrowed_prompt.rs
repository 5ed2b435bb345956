use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(completions)]
fn f(prompt: &str) -> String {
    prompt.to_owned()
}

fn main() {}

//~ 5: fn f(prompt: String) -> String {
