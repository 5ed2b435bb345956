#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::{infer, infer_sequences, spec, tensor};

#[derive(pytriton::Inputs)]
pub(crate) struct Sample<'a, 'b: 'a> {
    /// The pixels.
    #[input(name = "IMAGE", shape = [2])]
    image: ArrayView2<'a, f32>,
    r#type: Option<ArrayView2<'b, i32>>,
    title: Array2<String>,
}

/// Two structs, one of them owned, and ordinary parameters.
#[derive(Inputs)]
struct Scale {
    #[first_value(strict = false)]
    by: f32,
    #[first_value]
    offset: Option<Array1<f32>>,
}

#[pytriton::model(name = "Structs", max_batch_size = 8)]
#[batch]
fn structs(
    before: ArrayView2<f32>,
    sample: Sample,
    parameters: &Parameters,
    Scale { by, offset }: Scale,
    after: Option<ArrayView2<f32>>,
) -> Result<(Array2<f32>, Array2<String>), String> {
    assert!(parameters.is_empty() && after.is_none() && sample.r#type.is_none());
    let offset = offset.map_or(0.0, |offset| offset.sum());
    Ok((&before + &sample.image * by + offset, sample.title))
}

#[derive(pytriton::Inputs)]
struct Words<'a> {
    words: Ragged<'a, i64>,
    keys: Option<Ragged<'a, String>>,
    names: ArrayView2<'a, String>,
}

struct Counts;

/// An `async` method of a state, which keeps its arguments over an `await`.
#[pytriton::model(name = "StructState", max_batch_size = 4)]
impl Counts {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    #[batch]
    async fn infer(&self, words: Words<'_>) -> Array2<String> {
        std::future::ready(()).await;
        let rows = words.names.column(0);
        let rows = rows.iter().enumerate().map(|(row, name)| {
            let key = words.keys.map(|keys| keys.row(row).to_vec().join("+"));
            format!("{name} {} {key:?}", words.words.row(row).sum())
        });
        let rows: Array1<String> = rows.collect();
        rows.insert_axis(Axis(1))
    }
}

/// One request per call, without a batch axis.
#[derive(pytriton::Inputs)]
struct One<'a> {
    x: ArrayView1<'a, f32>,
}

/// The type may have another name.
type Only<'a> = One<'a>;

#[pytriton::model(name = "StructAlone", batching = false)]
#[sample]
fn alone(one: Only) -> impl Iterator<Item = Array1<f32>> + use<> {
    one.x.to_vec().into_iter().map(|x| array![x])
}

#[derive(pytriton::Inputs)]
struct Step<'a> {
    x: ArrayView2<'a, f32>,
}

#[pytriton::model(name = "StructSequence")]
fn sequence(step: Step<'_>, #[sequence] sum: &mut f32) -> Array2<f32> {
    *sum += step.x.sum();
    array![[*sum]]
}

pub(crate) fn main() {
    let declared = spec("Structs");
    let inputs = declared.inputs.iter();
    let inputs: Vec<_> = inputs
        .map(|input| (&*input.name, &*input.dims, input.optional))
        .collect();
    let expected: [(&str, &[i64], bool); 7] = [
        ("before", &[-1], false),
        ("IMAGE", &[2], false),
        ("type", &[-1], true),
        ("title", &[-1], false),
        ("by", &[1], false),
        ("offset", &[-1], true),
        ("after", &[-1], true),
    ];
    assert_eq!(inputs, expected);
    assert_eq!(&*declared.inputs[1].description, "The pixels.");
    let row = |x: [f32; 2]| tensor::<f32>(&[1, 2], x);
    let title = tensor::<String>(&[1, 1], ["a".to_owned()]);
    let request = [
        ("before", row([1.0, 2.0])),
        ("IMAGE", row([3.0, 4.0])),
        ("title", title.clone()),
        ("by", tensor::<f32>(&[1, 1], [10.0])),
    ];
    let expected = vec![row([31.0, 42.0]), title];
    assert_eq!(infer("Structs", &[&request]), [Ok(expected)]);

    let words = |words: &[i64], name: &str| {
        let words = tensor::<i64>(&[1, words.len()], words);
        let name = tensor::<String>(&[1, 1], [name.to_owned()]);
        [("words", words), ("names", name)]
    };
    let text = |text: &str| Ok(vec![tensor::<String>(&[1, 1], [text.to_owned()])]);
    assert_eq!(
        infer(
            "StructState",
            &[&words(&[1, 2], "a"), &words(&[], "b"), &words(&[4], "c")]
        ),
        [text("a 3 None"), text("b 0 None"), text("c 4 None")]
    );

    assert!(spec("StructAlone").decoupled);
    assert_eq!(spec("StructAlone").inputs[0].dims, [-1]);

    let x = |x: f32| tensor::<f32>(&[1, 1], [x]);
    let batch = |flags, value| vec![("s", flags, vec![("x", x(value))])];
    let answers = infer_sequences("StructSequence", &[batch("start", 1.0), batch("end", 2.0)]);
    assert_eq!(answers, [[Ok(vec![x(1.0)])], [Ok(vec![x(3.0)])]]);
}
