//! A panic of an element's destructor fails the call, but not the instance.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use ndarray::{Array2, Ix2};

use super::*;
use crate::memory_budget::MemoryPermit;
use crate::model::TensorDeclaration;
use crate::registry::ModelDeclaration;
use crate::request::{InferInput, InferRequest, Request};
use crate::tensor::{BytesElement, DataType, ElementError, encode_bytes_elements};
use crate::testing::IDENTITY;

/// A text. The destructor of `!` panics.
#[derive(Debug, Clone, PartialEq)]
struct Fragile(Bytes);

impl BytesElement for Fragile {
    fn decode(element: Bytes) -> Result<Self, ElementError> {
        Ok(Self(element))
    }

    fn encode(&self) -> Result<Bytes, ElementError> {
        Ok(self.0.clone())
    }
}

impl Drop for Fragile {
    fn drop(&mut self) {
        assert_ne!(self.0, "!", "fragile");
    }
}

/// Returns the number of rows.
struct Rows {
    ragged: bool,
}

impl Instance for Rows {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let rows = match self.ragged {
                true => call.ragged::<Fragile>(0)?.len(),
                false => call.view::<Fragile, Ix2>(0)?.nrows(),
            };
            call.outputs(Array2::from_elem((rows, 1), 1.0_f32))
        })
    }
}

#[test]
fn panicking_destructor_of_an_element_fails_the_call() {
    const INPUTS: &[TensorDeclaration] = &[TensorDeclaration {
        datatype: DataType::Bytes,
        ..IDENTITY.inputs[0]
    }];
    for ragged in [false, true] {
        let declaration = ModelDeclaration {
            inputs: INPUTS,
            ragged_inputs: if ragged { &[0] } else { &[] },
            ..IDENTITY
        };
        let spec = Arc::new(declaration.spec().unwrap());
        let context = Context::new(Arc::clone(&spec), 0);
        let invocation = Invocation {
            instance: &Rows { ragged },
            context: &context,
            steps: &[],
            sink: None,
        };
        for (texts, fails) in [
            (["a"].as_slice(), false),
            (&["!"], true),
            (&["a", "!"], true),
        ] {
            let requests = texts.iter().map(|text| {
                let input = InferInput {
                    name: "INPUT_1".to_owned(),
                    datatype: DataType::Bytes,
                    shape: vec![1, 1],
                    data: encode_bytes_elements([text.as_bytes()]).unwrap(),
                };
                let request = InferRequest {
                    inputs: vec![input],
                    ..InferRequest::new(MemoryPermit::unlimited())
                };
                Request::check(&spec, request).unwrap()
            });
            let requests: Vec<_> = requests.collect();
            let executed = invocation.execute(&requests, &[]).now_or_never().unwrap();
            for result in executed.results {
                match (result, fails) {
                    (Ok(_), false) => {}
                    (Err(ModelError::Panic { message, .. }), true) => {
                        assert!(message.contains("fragile"), "{message}");
                    }
                    (result, _) => panic!("{texts:?}: {result:?}"),
                }
            }
        }
    }
}
