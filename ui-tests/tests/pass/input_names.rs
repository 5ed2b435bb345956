#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::spec;

#[pytriton::model(name = "Image")]
#[batch]
fn image(
    #[input(name = "INPUT_1", shape = [-1, 224, 3])] mut image: Array4<u8>,
    #[input(shape = [3])] r#type: ArrayView2<u8>,
    #[input(name = "any", shape = [2, 2])] any: ArrayViewD<u8>,
) -> Array2<u8> {
    image.fill(any[[0, 0, 0]]);
    r#type.to_owned()
}

pub(crate) fn main() {
    let inputs: Vec<_> = spec("Image")
        .inputs
        .iter()
        .map(|i| (i.name.to_string(), i.dims.clone()))
        .collect();
    assert_eq!(
        inputs,
        [
            ("INPUT_1".to_owned(), vec![-1, 224, 3]),
            ("type".to_owned(), vec![3]),
            ("any".to_owned(), vec![2, 2])
        ]
    );
}
