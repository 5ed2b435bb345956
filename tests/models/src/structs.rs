//! Models whose inputs are the fields of structs.

use pytriton::Error;
use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct Sample<'a> {
    /// Gray pixels.
    #[input(name = "IMAGE", shape = [2])]
    image: ArrayView2<'a, f32>,
    title: ArrayView2<'a, String>,
    top_k: Option<ArrayView2<'a, i32>>,
    words: Ragged<'a, i64>,
}

#[derive(pytriton::Inputs)]
struct Scale {
    #[first_value]
    by: f32,
    offset: Option<Array2<f32>>,
}

/// Returns the image, and a text about the other inputs of each row.
#[pytriton::model(
    name = "Structs",
    max_batch_size = 8,
    max_queue_delay_microseconds = 200_000
)]
#[batch]
fn structs(
    sample: Sample,
    parameters: &Parameters,
    flag: Option<ArrayView2<bool>>,
    Scale { by, offset }: Scale,
) -> Result<(Array2<f32>, Array2<String>), Error> {
    if parameters.bool("refuse").unwrap_or_default() {
        return Err(Error::invalid_argument("refused"));
    }
    let rows = sample.title.outer_iter().enumerate().map(|(row, title)| {
        let top_k = sample.top_k.map(|top_k| top_k[[row, 0]]);
        let flag = flag.map(|flag| flag[[row, 0]]);
        let sum = sample.words.row(row).sum();
        format!("{} {top_k:?} {flag:?} {sum}", title[0])
    });
    let texts: Array1<String> = rows.collect();
    let mut image = &sample.image * by;
    if let Some(offset) = offset {
        image += &offset;
    }
    Ok((image, texts.insert_axis(Axis(1))))
}

#[derive(pytriton::Inputs)]
struct Named<'a> {
    name: ArrayView2<'a, String>,
    times: Array2<u8>,
}

struct Greeting(String);

/// An instance with a state, whose calls wait.
#[pytriton::model(name = "StructState", max_batch_size = 4)]
impl Greeting {
    #[load]
    fn load() -> Self {
        Self("hello".to_owned())
    }

    #[infer]
    async fn infer(&self, named: Named<'_>) -> Array2<String> {
        tokio::task::yield_now().await;
        let texts = named.name.iter().zip(&named.times);
        let texts = texts.map(|(name, &times)| format!("{} {}", self.0, name.repeat(times.into())));
        Array1::from_iter(texts).insert_axis(Axis(1))
    }
}

#[derive(pytriton::Inputs)]
struct Count<'a> {
    to: ArrayView2<'a, i32>,
}

#[pytriton::model(name = "StructStream", max_batch_size = 4)]
fn stream(count: Count) -> impl Iterator<Item = Array2<i32>> + use<> {
    (0..count.to[[0, 0]]).map(|number| array![[number]])
}

#[derive(pytriton::Inputs)]
struct Step<'a> {
    x: ArrayView2<'a, f32>,
}

#[pytriton::model(name = "StructSequence", max_batch_size = 4)]
#[batch]
fn sequence(step: Step, #[sequence] sums: &mut [&mut f32]) -> Array2<f32> {
    let rows = step.x.outer_iter().zip(sums.iter_mut()).map(|(x, sum)| {
        **sum += x.sum();
        **sum
    });
    rows.collect::<Array1<f32>>().insert_axis(Axis(1))
}
