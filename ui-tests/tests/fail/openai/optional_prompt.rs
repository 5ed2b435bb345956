use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(completions)]
fn f(prompt: Option<String>) -> String {
    prompt.into_iter().collect()
}

fn main() {}

//~ 5: fn f(prompt: String) -> String {
//~ 6:     prompt
