use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(completions)]
fn f(text: String) -> String {
    text
}

fn main() {}

//~ 5: fn f(prompt: String) -> String {
//~ 6:     prompt
