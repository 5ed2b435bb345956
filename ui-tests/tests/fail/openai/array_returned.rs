use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(completions)]
fn f(prompt: String) -> impl Iterator<Item = Array1<String>> {
    std::iter::once(array![prompt])
}

fn main() {}

//~ 5: fn f(prompt: String) -> impl Iterator<Item = String> {
//~ 6:     std::iter::once(prompt)
