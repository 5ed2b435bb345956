// The outputs of a function may borrow from its arguments: they are sent before the arguments are
// dropped.
use std::borrow::Cow;

use pytriton::prelude::*;
use pytriton_ui_tests::{infer, spec, tensor};

#[pytriton::model(name = "Named", batching = false)]
fn named<'a>(
    #[input(shape = [-1])] text: ArrayView1<'a, String>,
) -> Result<Array1<u8>, Cow<'a, str>> {
    Err(Cow::Borrowed(text.to_slice().map_or("", |text| &text[0])))
}

#[pytriton::model(name = "Elided")]
fn elided(x: ArrayView2<'_, f32>, p: &Parameters) -> Result<Array2<f32>, Cow<'static, str>> {
    p.str("fail")
        .map_or(Ok(x.to_owned()), |_| Err(Cow::Borrowed("asked to")))
}

#[pytriton::model(name = "Text")]
fn text(x: Array2<f32>, p: &Parameters) -> Result<Array2<f32>, &str> {
    p.str("fail").map_or(Ok(x), Err)
}

#[pytriton::model(name = "RawLifetimes")]
#[input(name = "x", datatype = FP32, shape = [-1])]
fn raw(requests: &[Request]) -> Vec<Result<Array2<f32>, &str>> {
    requests.iter().map(|_| Err("no")).collect()
}

struct State(String);

#[pytriton::model(name = "StateLifetimes")]
impl State {
    #[load]
    fn load(_: &Context) -> Result<self::State, Cow<'_, str>> {
        Ok(Self("state".to_owned()))
    }

    #[infer]
    fn infer(&self, _x: Array2<f32>) -> Result<Array2<f32>, Cow<'_, str>> {
        Err(Cow::Borrowed(&self.0))
    }
}

pub(crate) fn main() {
    assert_eq!(spec("Elided").outputs.len(), 1);
    for (name, message) in [("RawLifetimes", "no"), ("StateLifetimes", "state")] {
        let x = || ("x", tensor::<f32>(&[1, 1], [0.0]));
        let name_of = if name == "StateLifetimes" {
            ("_x", x().1)
        } else {
            x()
        };
        let error = infer(name, &[&[name_of]]).remove(0).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
    let text = tensor::<String>(&[1], ["named".to_owned()]);
    let error = infer("Named", &[&[("text", text)]]).remove(0).unwrap_err();
    assert!(error.contains("named"), "{error}");
}
