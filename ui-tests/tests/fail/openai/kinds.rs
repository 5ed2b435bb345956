use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(completions)]
fn f(
    prompt: String,
    max_tokens: Option<f32>,
    temperature: Option<i64>,
    echo: Option<String>,
    stop: Option<String>,
    user: Option<bool>,
) -> String {
    format!("{prompt}{max_tokens:?}{temperature:?}{echo:?}{stop:?}{user:?}")
}

fn main() {}

//~ 7:     max_tokens: Option<i64>,
//~ 8:     temperature: Option<f32>,
//~ 9:     echo: Option<bool>,
//~ 10:     stop: Option<Vec<String>>,
//~ 11:     user: Option<String>,
