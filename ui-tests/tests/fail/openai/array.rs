use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(completions)]
fn f(prompt: String, bias: ArrayView1<f32>) -> String {
    format!("{prompt}{}", bias.len())
}

fn main() {}

//~ 5: fn f(prompt: String, bias: f32) -> String {
//~ 6:     format!("{prompt}{bias}")
