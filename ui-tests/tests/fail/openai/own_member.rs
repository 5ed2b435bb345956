use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(completions)]
fn f(prompt: String, stream: Option<bool>, n: Option<i64>) -> String {
    format!("{prompt}{stream:?}{n:?}")
}

fn main() {}

//~ 5: fn f(prompt: String, flows: Option<bool>, number: Option<i64>) -> String {
//~ 6:     format!("{prompt}{flows:?}{number:?}")
