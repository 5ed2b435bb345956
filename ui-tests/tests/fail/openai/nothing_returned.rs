use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(completions)]
fn f(_prompt: String) {}

fn main() {}

//~ 5: fn f(#[input(name = "prompt")] _prompt: String) -> impl Iterator<Item = String> { std::iter::empty() }
