#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::{infer, tensor};

type Result<T> = std::result::Result<T, std::num::TryFromIntError>;

#[pytriton::model(name = "Narrow")]
fn narrow(x: ArrayView2<i64>) -> Result<(Array2<i8>, Array2<i16>)> {
    let first = i8::try_from(x[[0, 0]])?;
    Ok((Array2::from_elem((1, 1), first), Array2::zeros((1, 1))))
}

pub(crate) fn main() {
    let request = |x: i64| [("x", tensor::<i64>(&[1, 1], [x]))];
    let got = infer("Narrow", &[&request(7), &request(700)]);
    assert_eq!(
        got[0],
        Ok(vec![
            tensor::<i8>(&[1, 1], [7]),
            tensor::<i16>(&[1, 1], [0])
        ])
    );
    assert!(got[1].as_ref().unwrap_err().contains("out of range"));
}
