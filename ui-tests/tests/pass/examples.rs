#![deny(warnings)]

use pytriton::openai::{Messages, Piece};
use pytriton::prelude::*;
use pytriton_ui_tests::spec;

#[pytriton::model(name = "All", max_batch_size = 4)]
#[batch]
fn all(
    #[input(shape = [2], example = [0.5, -1])] x: ArrayView2<f32>,
    #[input(example = ["one", "two\n"])] texts: ArrayView2<String>,
    #[first_value]
    #[input(example = true)]
    sharp: bool,
    plain: ArrayView2<i8>,
) -> Array2<f32> {
    let _ = (texts, sharp, plain);
    x.to_owned()
}

#[pytriton::model(name = "RawExamples", batching = false)]
#[input(name = "x", datatype = INT8, shape = [-1, 2], example = [1, -2])]
fn raw(requests: &[Request]) -> Vec<Array1<i8>> {
    requests.iter().map(|_| array![1]).collect()
}

#[pytriton::model(name = "Chat")]
#[openai(chat)]
fn chat(messages: Messages) -> Piece {
    Piece::from(messages.len().to_string())
}

pub(crate) fn main() {
    let examples = |model: &str| -> Vec<Vec<String>> {
        let inputs = spec(model).inputs;
        let inputs = inputs.iter().map(|input| &input.example);
        let examples = inputs.map(|texts| texts.iter().map(|text| text.to_string()).collect());
        examples.collect()
    };
    let expected: [&[&str]; 4] = [&["0.5", "-1"], &["one", "two\n"], &["true"], &[]];
    assert_eq!(examples("All"), expected);
    assert_eq!(examples("RawExamples"), [["1", "-2"]]);
    // A type that accepts only some texts provides its own example.
    assert_eq!(
        examples("Chat"),
        [[r#"{"role": "user", "content": "Hello"}"#]]
    );
}
