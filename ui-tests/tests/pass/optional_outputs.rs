#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::{infer, spec, tensor};

type Maybe = std::option::Option<Array2<i32>>;

#[pytriton::model(name = "OnlyOptional")]
#[output(name = "y", shape = [1])]
fn only(x: ArrayView2<i32>) -> Option<Array2<i32>> {
    (x.sum() > 0).then(|| x.to_owned())
}

#[pytriton::model(name = "TupleWithOptional")]
#[batch]
fn tuple(x: ArrayView2<i32>) -> Result<(Maybe, Array2<i32>), String> {
    Ok(((x.sum() > 0).then(|| -&x), x.to_owned()))
}

#[derive(pytriton::Outputs)]
struct WithOptional {
    x: Array2<i32>,
    #[output(name = "negated", shape = [-1])]
    minus: Option<ArrayD<i32>>,
}

#[pytriton::model(name = "StructWithOptional")]
#[batch]
fn in_struct(x: ArrayView2<i32>) -> WithOptional {
    WithOptional {
        x: x.to_owned(),
        minus: (x.sum() > 0).then(|| (-&x).into_dyn()),
    }
}

pub(crate) fn main() {
    let optional = |name: &str| {
        let spec = spec(name);
        let outputs = spec.outputs.iter();
        let outputs = outputs.map(|output| (output.name.to_string(), output.optional));
        outputs.collect::<Vec<_>>()
    };
    let listed = |name: &str, is_optional| (name.to_owned(), is_optional);
    assert_eq!(optional("OnlyOptional"), [listed("y", true)]);
    let tuple = [listed("OUTPUT_1", true), listed("OUTPUT_2", false)];
    assert_eq!(optional("TupleWithOptional"), tuple);
    let fields = [listed("x", false), listed("negated", true)];
    assert_eq!(optional("StructWithOptional"), fields);

    let one = |value: i32| tensor(&[1, 1], [value]);
    let request = |value: i32| [("x", one(value))];
    let expected = [Ok(vec![one(5)]), Ok(vec![])];
    assert_eq!(
        infer("OnlyOptional", &[&request(5), &request(-5)]),
        expected
    );
    let outputs = |name: &str, value| infer(name, &[&request(value)]).remove(0);
    assert_eq!(outputs("TupleWithOptional", 5), Ok(vec![one(-5), one(5)]));
    assert_eq!(outputs("TupleWithOptional", -5), Ok(vec![one(-5)]));
    assert_eq!(outputs("StructWithOptional", 5), Ok(vec![one(5), one(-5)]));
    assert_eq!(outputs("StructWithOptional", -5), Ok(vec![one(-5)]));
}
