use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(embeddings)]
fn f(texts: Vec<String>) -> impl Iterator<Item = Array2<f32>> {
    std::iter::once(Array2::zeros((texts.len(), 2)))
}

fn main() {}

//~ 5: fn f(texts: Vec<String>) -> Array2<f32> {
//~ 6:     Array2::zeros((texts.len(), 2))
