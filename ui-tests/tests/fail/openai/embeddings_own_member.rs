use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(embeddings)]
fn f(texts: Vec<String>, #[first_value] dimensions: Option<i64>) -> Array2<f32> {
    Array2::zeros((texts.len(), usize::from(dimensions.is_some())))
}

fn main() {}

//~ 5: fn f(texts: Vec<String>, #[first_value] length: Option<i64>) -> Array2<f32> {
//~ 6:     Array2::zeros((texts.len(), usize::from(length.is_some())))
