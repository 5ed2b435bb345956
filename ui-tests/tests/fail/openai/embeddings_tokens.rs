use pytriton::prelude::*;

#[derive(pytriton::Outputs)]
struct Vectors {
    vectors: Array2<f32>,
    #[output(shape = [1])]
    prompt_tokens: Array2<f32>,
}

#[pytriton::model(name = "m")]
#[openai(embeddings)]
fn f(texts: Vec<String>) -> Vectors {
    let (vectors, prompt_tokens) = (Array2::zeros((texts.len(), 2)), Array2::zeros((texts.len(), 1)));
    Vectors { vectors, prompt_tokens }
}

fn main() {}

//~ 7:     prompt_tokens: Array2<i64>,
