#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_runtime::registry::Registration;
use pytriton_ui_tests::{infer, registration, tensor};

struct Odd(u32);

#[pytriton::model(name = "Odd")]
impl Odd {
    #[load]
    fn load(context: &Context) -> Result<Self, String> {
        match context.instance() {
            0 => Ok(Self(40)),
            instance => Err(format!("no weights for {instance}")),
        }
    }

    #[infer]
    #[batch]
    #[output(name = "y")]
    async fn infer(
        &self,
        #[input(name = "x")] input: ArrayView2<'_, u32>,
        #[first_value] by: u32,
        context: &Context,
    ) -> Array2<u32> {
        &input * by + self.0 + context.instance()
    }
}

pub(crate) fn main() {
    let inputs = [
        ("x", tensor::<u32>(&[1, 1], [1])),
        ("by", tensor::<u32>(&[1, 1], [2])),
    ];
    assert_eq!(
        infer("Odd", &[&inputs]),
        [Ok(vec![tensor::<u32>(&[1, 1], [42])])]
    );
    let Registration { spec, load, .. } = registration("Odd");
    let error = load(&Context::new(spec, 1)).unwrap_err();
    assert!(error.to_string().ends_with("no weights for 1"), "{error}");
}
