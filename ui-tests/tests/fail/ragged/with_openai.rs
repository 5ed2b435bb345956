use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(completions)]
fn f(prompt: String, _seed: Option<Ragged<i64>>) -> String {
    prompt
}

fn main() {}

//~ 5: fn f(prompt: String, _seed: Option<i64>) -> String {
