#![deny(warnings)]
use std::collections::HashMap;

use pytriton::elements::{Bytes, BytesElement, ElementError, Json};
use pytriton::prelude::*;
use pytriton_runtime::tensor::DataType;
use pytriton_ui_tests::spec;

/// Only decoded, so that it needs no other trait.
#[derive(Clone)]
struct Picture;

impl BytesElement for Picture {
    fn decode(_: Bytes) -> Result<Self, ElementError> {
        Ok(Self)
    }

    fn encode(&self) -> Result<Bytes, ElementError> {
        Err("a picture is an input".into())
    }
}

type Alias = Json<HashMap<String, f32>>;

#[derive(pytriton::Outputs)]
struct Found {
    #[output(shape = [1])]
    picture: Array2<Picture>,
    #[output(shape = [-1])]
    details: ArrayD<Alias>,
}

#[pytriton::model(name = "Elements", client = ElementsModel)]
#[fill_optionals(f = "a", g = [b"a", b"b"])]
#[batch]
fn elements(
    _a: ArrayView2<Picture>,
    _b: Option<Array3<Json<Vec<u8>>>>,
    #[input(shape = [-1])] _c: ArrayViewD<'_, Bytes>,
    #[first_value] _d: Picture,
    #[first_value] _e: Option<Alias>,
    f: ArrayView2<Bytes>,
    #[input(shape = [2])] g: Array2<Bytes>,
    #[first_value] _h: ArrayView1<Json<(f32, String)>>,
) -> Result<Found, String> {
    let _ = (f, g);
    Err("nothing".to_owned())
}

#[pytriton::model(name = "Sampled", batching = false)]
async fn sampled(x: Array1<Bytes>) -> (Array1<Bytes>, Array1<Json<bool>>) {
    (x, array![Json(true)])
}

pub(crate) fn main() {
    let elements = spec("Elements");
    let tensors = elements.inputs.iter().chain(&elements.outputs);
    for tensor in tensors {
        assert_eq!(tensor.datatype, DataType::Bytes, "{}", tensor.name);
    }
    assert!(elements.inputs[5].optional);
}
