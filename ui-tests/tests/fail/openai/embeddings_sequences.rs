use pytriton::prelude::*;

#[pytriton::model(name = "m", sequence_batching = direct)]
#[openai(embeddings)]
fn f(texts: Vec<String>) -> Array2<f32> {
    Array2::zeros((texts.len(), 2))
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
