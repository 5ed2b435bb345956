use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(embeddings)]
fn f(texts: Vec<String>, task: ArrayView2<i64>) -> Array2<f32> {
    Array2::zeros((texts.len(), task.ncols()))
}

fn main() {}

//~ 5: fn f(texts: Vec<String>, #[input(shape = [1])] task: ArrayView2<i64>) -> Array2<f32> {
