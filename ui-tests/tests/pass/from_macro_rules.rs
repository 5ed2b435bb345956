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

macro_rules! summing {
    ($state:ident, $sum:ident, $name:literal, $words:literal, $element:ty) => {
        struct $state($element);

        #[derive(Default)]
        struct $sum($element);

        #[pytriton::model(name = $name, sequence_batching = direct)]
        impl $state {
            #[load]
            fn load(context: &Context) -> Result<Self, String> {
                assert_eq!(context.instance(), 0);
                Ok(Self(<$element>::default()))
            }

            #[sequence]
            fn start(&self, sequence: &Sequence) -> $sum {
                assert!(sequence.starts());
                $sum(self.0)
            }

            #[infer]
            fn add(
                &self,
                #[sequence] state: &mut $sum,
                x: ArrayView2<$element>,
            ) -> Array2<$element> {
                state.0 += x.sum();
                x.mapv(|_| state.0)
            }
        }

        #[pytriton::model(name = $words)]
        #[batch]
        fn twice(x: ArrayView2<$element>) -> impl Iterator<Item = Array2<$element>> {
            let x = x.to_owned();
            (0..2).map(move |_| x.clone())
        }
    };
}

identity!(floats, "Floats", f32, Array2<f32>);
summing!(Summing, Sum, "Summing", "Twice", f32);
identity!(words, "Words", String, Array2<String>);

pub(crate) fn main() {
    assert_eq!(spec("Floats").inputs[0].datatype.name(), "FP32");
    assert_eq!(spec("Words").outputs[0].datatype.name(), "BYTES");
}
