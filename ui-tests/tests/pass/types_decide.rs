#![deny(warnings)]
use std::borrow::Cow;

use ::pytriton::ndarray::{Array as Owned, ArrayView as View, Ix2, Ix3};
use pytriton::prelude::*;
use pytriton_ui_tests::{infer, spec, tensor};

type Image<'a> = ArrayView4<'a, u8>;
type Matrix = Array2<f32>;
type Headers<'a> = &'a Parameters;
type Batched<'a> = &'a [Request];
type Answer = Vec<Result<Array2<f32>, Cow<'static, str>>>;

const NAME: &str = "Aliases";
const MAX_ROWS: u32 = 32;
const WIDTH: i64 = 3;
const SIZES: &[u32] = &[4, 8];

#[pytriton::model(name = NAME, max_batch_size = MAX_ROWS, preferred_batch_size = SIZES, batching = MAX_ROWS > 0)]
#[batch]
fn aliases<'a>(
    image: Image<'a>,
    #[input(shape = [WIDTH, -1])] view: View<'a, f32, Ix3>,
    owned: Owned<f32, Ix2>,
    maybe: Option<Image<'a>>,
    #[first_value] scale: Scale,
    _: &Context,
    headers: Headers<'_>,
) -> Result<Matrix, Cow<'a, str>> {
    assert!(headers.str("p").is_none());
    let images = image.len() + maybe.map_or(0, |image| image.len());
    match view.len() {
        0 => Err(Cow::Borrowed("empty")),
        views => Ok(owned * scale + (images + views) as f32),
    }
}

type Scale = f32;

/// Nothing but zeros.
///
/// One for each row.
#[pytriton::model(name = "RawAlias")]
#[input(name = "x", datatype = FP32, shape = [WIDTH])]
fn raw(requests: Batched<'_>) -> Answer {
    let rows = requests
        .iter()
        .map(|request| Ok(Array2::zeros((request.batch_size(), 1))));
    rows.collect()
}

struct Kept;

trait Typed {
    type Input<'a>;
}

impl Typed for Kept {
    type Input<'a> = ArrayView2<'a, f32>;
}

type Made = Result<Kept, String>;

#[pytriton::model(name = "Kept")]
impl Kept {
    #[load]
    fn load(_: &Context) -> Made {
        Ok(Self)
    }

    #[infer]
    fn infer(self: &Self, x: <Self as Typed>::Input<'_>, #[input(name = "y")] _: Matrix) -> Matrix {
        x.to_owned()
    }
}

pub(crate) fn main() {
    let aliases = spec("Aliases");
    assert_eq!(
        (aliases.max_batch_size, aliases.inputs[1].dims.as_slice()),
        (32, &[3, -1][..])
    );
    let batching = aliases.batcher.map(|batcher| batcher.preferred_batch_size);
    assert_eq!(batching, Some(vec![4, 8]));
    let inputs = [
        ("image", tensor::<u8>(&[1, 1, 1, 2], [1, 2])),
        ("view", tensor::<f32>(&[1, 3, 1], [0.0; 3])),
        ("owned", tensor::<f32>(&[1, 1], [2.0])),
        ("scale", tensor::<f32>(&[1, 1], [10.0])),
    ];
    assert_eq!(
        infer("Aliases", &[&inputs]),
        [Ok(vec![tensor::<f32>(&[1, 1], [25.0])])]
    );
    assert_eq!(
        &*spec("RawAlias").description,
        "Nothing but zeros.\n\nOne for each row."
    );
    assert_eq!(&*spec("Kept").description, "");
    let x = || tensor::<f32>(&[1, 3], [0.0; 3]);
    assert_eq!(
        infer("RawAlias", &[&[("x", x())]]),
        [Ok(vec![tensor::<f32>(&[1, 1], [0.0])])]
    );
    assert_eq!(infer("Kept", &[&[("x", x()), ("y", x())]]), [Ok(vec![x()])]);
}
