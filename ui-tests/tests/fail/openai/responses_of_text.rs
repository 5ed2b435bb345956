use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(completions)]
fn f(prompt: String, responses: &Responses<Array1<String>>) -> Result<(), Cancelled> {
    responses.blocking_send(array![prompt])
}

fn main() {}

//~ 1: use pytriton::openai::Piece; use pytriton::prelude::*;
//~ 5: fn f(prompt: String, responses: &Responses<Piece>) -> Result<(), Cancelled> {
//~ 6:     responses.blocking_send(Piece::from(prompt))
