#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_runtime::tensor::DataType;
use pytriton_ui_tests::{infer, spec, tensor};

#[pytriton::model(name = "Raw")]
#[input(name = "x", datatype = FP32, shape = [-1])]
#[input(name = "note", datatype = BYTES, shape = [1], optional = true)]
#[output(name = "sum", shape = [1])]
fn raw(requests: &[Request], context: &Context) -> Vec<Result<Array2<f32>, String>> {
    let sum = |request: &Request| {
        let x = request.array::<f32>("x").ok().flatten().ok_or("no x")?;
        match request.tensor("note") {
            Some(_) => Err(format!("{} takes no note", context.model().name)),
            None => Ok(Array2::from_elem((request.batch_size(), 1), x.sum())),
        }
    };
    requests.iter().map(sum).collect()
}

pub(crate) fn main() {
    let spec = spec("Raw");
    assert_eq!(spec.inputs[1].datatype, DataType::Bytes);
    assert!(spec.inputs[1].optional && !spec.inputs[0].optional);
    let x = ("x", tensor::<f32>(&[1, 2], [1.0, 2.0]));
    let noted = [
        x.clone(),
        ("note", tensor::<String>(&[1, 1], ["n".to_owned()])),
    ];
    let got = infer("Raw", &[&[x], &noted]);
    assert_eq!(got[0], Ok(vec![tensor::<f32>(&[1, 1], [3.0])]));
    assert!(got[1].as_ref().unwrap_err().contains("Raw takes no note"));
}
