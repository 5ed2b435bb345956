//! A model with two inputs, and invalid data for them.

use std::cell::Cell;
use std::sync::Arc;

use ndarray::{Array2, Ix2};

use crate::call::{Call, Execution, Instance};
use crate::model::{ModelSpec, TensorDeclaration};
use crate::registry::{ModelDeclaration, ModelOptions};
use crate::request::Response;
use crate::status::Status;
use crate::tensor::{DataType, encode_bytes_elements};

use super::IDENTITY;

const FLAG: TensorDeclaration = TensorDeclaration {
    name: "flag",
    datatype: DataType::Bool,
    shape: Some(&[1]),
    ..IDENTITY.inputs[0]
};
const TEXT: TensorDeclaration = TensorDeclaration {
    name: "text",
    datatype: DataType::Bytes,
    ..FLAG
};

/// Adds the flag to the length of the text.
#[derive(Debug, Default)]
pub struct Lengths {
    /// The number of calls.
    pub calls: Cell<usize>,
}

impl Instance for Lengths {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let flags = call.array::<bool, Ix2>(0)?;
            let texts = call.array::<String, Ix2>(1)?;
            self.calls.set(self.calls.get() + 1);
            let both = flags.iter().zip(&texts);
            let sums = both.map(|(&flag, text)| text.len() as f32 + f32::from(u8::from(flag)));
            let sums: Vec<f32> = sums.collect();
            call.outputs(Array2::from_shape_vec((sums.len(), 1), sums).map_err(|_| "no array"))
        })
    }
}

/// Returns the model.
pub fn spec() -> Arc<ModelSpec> {
    let declaration = ModelDeclaration {
        inputs: &[FLAG, TEXT],
        utf8_inputs: &[1],
        options: ModelOptions {
            max_batch_size: 64,
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    Arc::new(declaration.spec().unwrap())
}

/// Invalid inputs, and a part of the errors of their requests.
const FLAWS: [(usize, &[u8], &str); 9] = [
    (0, &[2], "input 'flag' of model 'Identity': element 0 "),
    (0, &[0xff], "input 'flag' of model 'Identity': element 0 "),
    (0, &[], "'flag'"),
    (0, &[1, 1], "'flag'"),
    (
        1,
        &[1, 0, 0, 0, 0xff],
        "input 'text' of model 'Identity': element 0 ",
    ),
    (
        1,
        &[4, 0, 0, 0, b'a'],
        "incomplete string data for inference input 'text'",
    ),
    (1, &[1, 0], "'text'"),
    (1, &[], "'text'"),
    (1, &[0, 0, 0, 0, 0, 0, 0, 0], "'text'"),
];

/// The bytes of the inputs of a request with a text of this length.
pub fn bytes(length: usize, flaw: Option<(usize, &[u8])>) -> [Vec<u8>; 2] {
    let text = encode_bytes_elements([vec![b'a'; length].as_slice()]).unwrap();
    let mut inputs = [vec![1], text.to_vec()];
    if let Some((input, flaw)) = flaw {
        inputs[input] = flaw.to_vec();
    }
    inputs
}

/// Checks every invalid input at every position of batches of several sizes, at every other
/// position, and at all positions.
pub fn each_flaw(check: impl Fn(&[bool], (usize, &'static [u8]), &str)) {
    for (input, flaw, expected) in FLAWS {
        for count in 1..=17 {
            let one = (0..count).map(|position| (0..count).map(|at| at == position).collect());
            let mut cases: Vec<Vec<bool>> = one.collect();
            cases.push((0..count).map(|at| at % 2 == 0).collect());
            cases.push(vec![true; count]);
            for invalid in cases {
                check(&invalid, (input, flaw), expected);
            }
        }
    }
}

/// Checks that the requests with an invalid input have failed with the expected error, and the
/// others not.
pub fn check_results(
    results: &[Result<Response, (Status, String)>],
    invalid: &[bool],
    expected: &str,
) {
    assert_eq!(results.len(), invalid.len());
    for (index, (result, &invalid)) in results.iter().zip(invalid).enumerate() {
        match result {
            Ok(response) => {
                let sum = response.outputs[0].1.elements::<f32>().unwrap().to_vec();
                assert_eq!(sum, [index as f32 + 1.0], "{expected} {index}");
                assert!(!invalid, "{expected} {index}");
            }
            Err((status, error)) => {
                assert!(invalid, "{error}");
                assert_eq!(*status, Status::InvalidArgument, "{error}");
                assert!(error.contains(expected), "{error}");
            }
        }
    }
}
