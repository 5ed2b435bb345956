#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::{infer, spec, tensor};

#[derive(pytriton::Outputs)]
struct Both {
    sum: Array2<f32>,
    #[output(name = "DIFFERENCE", shape = [1], labels = "difference")]
    difference: ArrayD<f32>,
    r#type: Array2<u8>,
}

#[pytriton::model(name = "Both")]
#[batch]
fn both(a: ArrayView2<f32>, b: ArrayView2<f32>) -> Result<Both, String> {
    Ok(Both {
        sum: &a + &b,
        difference: (&a - &b).into_dyn(),
        r#type: a.map(|_| 1),
    })
}

pub(crate) fn main() {
    let spec = spec("Both");
    let names: Vec<_> = spec.outputs.iter().map(|output| &*output.name).collect();
    assert_eq!(names, ["sum", "DIFFERENCE", "type"]);
    assert_eq!(spec.outputs[1].dims, [1]);
    assert_eq!(
        spec.labels
            .iter()
            .map(|(&output, text)| (output, &**text))
            .collect::<Vec<_>>(),
        [(1, "difference")]
    );
    let one = |x: f32| tensor::<f32>(&[1, 1], [x]);
    let expected = vec![one(5.0), one(1.0), tensor::<u8>(&[1, 1], [1])];
    assert_eq!(
        infer("Both", &[&[("a", one(3.0)), ("b", one(2.0))]]),
        [Ok(expected)]
    );
}
