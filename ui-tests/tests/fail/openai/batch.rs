use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(completions)]
#[batch]
fn f(prompt: String, #[first_value] seed: Option<i64>) -> String {
    format!("{prompt}{seed:?}")
}

fn main() {}

//~ 5: //
//~ 6: fn f(prompt: String, seed: Option<i64>) -> String {
