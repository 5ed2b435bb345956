#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::spec;

macro_rules! identity {
    ($function:ident, $name:literal, $element:ty, $output:ty) => {
        #[pytriton::model(name = $name)]
        #[batch]
        fn $function(x: ArrayView2<$element>) -> $output {
            x.to_owned()
        }
    };
}

identity!(floats, "Floats", f32, Array2<f32>);
identity!(words, "Words", String, Array2<String>);

fn main() {
    assert_eq!(spec("Floats").inputs[0].datatype.name(), "FP32");
    assert_eq!(spec("Words").outputs[0].datatype.name(), "BYTES");
}
