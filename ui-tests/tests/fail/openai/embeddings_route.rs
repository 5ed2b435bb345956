use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(embedding)]
fn f(texts: Vec<String>) -> Array2<f32> {
    Array2::zeros((texts.len(), 2))
}

fn main() {}

//~ 4: #[openai(embeddings)]
