#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_runtime::tensor::DataType;
use pytriton_ui_tests::spec;

type Pixel = u8;

#[pytriton::model(name = "Integers", batching = false)]
fn integers(
    _a: ArrayView1<bool>,
    _b: ArrayView1<Pixel>,
    _c: ArrayView2<u16>,
    _d: ArrayView3<u32>,
    _e: ArrayView4<u64>,
    _f: ArrayView5<i8>,
    _g: ArrayView6<i16>,
    _h: Array1<i32>,
    _i: Array1<i64>,
) -> Array1<Pixel> {
    Array1::zeros(1)
}

#[pytriton::model(name = "Others")]
#[batch]
fn others(
    _a: Array2<f16>,
    _b: Array3<bf16>,
    _c: Array4<f32>,
    _d: Array5<f64>,
    _e: Array6<Vec<u8>>,
    _f: ArrayView2<String>,
    #[first_value] _g: Pixel,
    #[first_value] _h: Vec<u8>,
) -> (Array2<String>, Array2<bf16>) {
    (Array2::default((1, 1)), Array2::default((1, 1)))
}

pub(crate) fn main() {
    let types = |name| {
        spec(name)
            .inputs
            .iter()
            .map(|input| input.datatype)
            .collect::<Vec<_>>()
    };
    assert_eq!(types("Integers"), DataType::ALL[..9]);
    let bytes = [
        DataType::Bytes,
        DataType::Bytes,
        DataType::Uint8,
        DataType::Bytes,
    ];
    assert_eq!(types("Others"), [&DataType::ALL[9..13], &bytes].concat());
    assert_eq!(spec("Integers").inputs[6].dims.len(), 6);
    assert_eq!(spec("Others").inputs[4].dims.len(), 5);
}
