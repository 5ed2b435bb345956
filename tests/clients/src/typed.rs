//! Models with typed clients.

use futures_util::Stream;
use futures_util::stream::iter;
use pytriton::WithParameters;
use pytriton::prelude::*;

/// Multiplies rows.
#[pytriton::model(name = "Linear", max_batch_size = 16, client = Linear)]
#[output(shape = [30])]
#[batch]
pub fn linear(#[input(shape = [20])] x: ArrayView2<f32>, #[first_value] scale: f32) -> Array2<f32> {
    let weights = Array2::from_shape_fn((20, 30), |(i, j)| (i + j) as f32);
    x.dot(&weights) * scale
}

/// Sums and differences without a batch axis, with parameters that are not inputs.
#[pytriton::model(name = "Both", batching = false, client = Both)]
#[output(name = "sum")]
#[output(name = "difference")]
pub fn both(
    context: &Context,
    a: ArrayView1<i32>,
    parameters: &Parameters,
    b: Array1<i32>,
) -> Result<(Array1<i32>, Array1<i32>), String> {
    match (parameters.is_empty(), context.model().batching()) {
        (true, false) => Ok((&a + &b, &a - &b)),
        _ => Err("refused".to_owned()),
    }
}

/// The outputs of `describe`.
#[derive(Debug, PartialEq, pytriton::Outputs)]
pub struct Described {
    /// The longest word of each row.
    pub longest: Array2<String>,
    /// Its length.
    #[output(name = "LENGTH", shape = [1])]
    pub length: Array2<u64>,
}

/// Words, with an optional input.
#[pytriton::model(name = "Describe", client = Describe)]
#[batch]
pub fn describe(
    words: ArrayView2<String>,
    more: Option<ArrayView2<String>>,
    #[first_value] separator: String,
    #[first_value] weights: Option<ArrayView1<f64>>,
) -> Result<Described, String> {
    let least = weights.map_or(0.0, |weights| weights.sum());
    let rows = words.outer_iter().enumerate().map(|(row, words)| {
        let mut words = words.to_vec();
        if let Some(more) = &more {
            words.push(more.row(row).to_vec().join(&separator));
        }
        words.retain(|word| word.len() as f64 >= least);
        words.into_iter().max_by_key(String::len).ok_or("no word")
    });
    let longest: Array1<String> = rows.collect::<Result<_, _>>()?;
    Ok(Described {
        length: longest.mapv(|word| word.len() as u64).insert_axis(Axis(1)),
        longest: longest.insert_axis(Axis(1)),
    })
}

/// The sum of each row, and the mean if there are several elements.
#[pytriton::model(name = "Mean", client = Mean)]
#[batch]
pub fn mean(x: ArrayView2<f64>) -> (Array2<f64>, Option<Array2<f64>>) {
    let sums = x.sum_axis(Axis(1)).insert_axis(Axis(1));
    let means = (x.ncols() > 1).then(|| &sums / x.ncols() as f64);
    (sums, means)
}

/// Bytes of any rank.
#[pytriton::model(name = "Reversed", batching = false, client = Reversed)]
#[output(shape = [-1])]
pub async fn reversed(
    #[input(name = "IN", shape = [-1])] x: ArrayViewD<'_, Vec<u8>>,
) -> ArrayD<Vec<u8>> {
    x.mapv(|mut bytes| {
        bytes.reverse();
        bytes
    })
}

/// Counts down.
#[pytriton::model(name = "Down", max_batch_size = 8, client = Down)]
#[batch]
pub fn down(from: ArrayView2<i32>) -> impl Iterator<Item = Result<Array2<i32>, String>> {
    let from = from.to_owned();
    let most = from.iter().copied().max().unwrap_or_default();
    (0..=most).map(move |step| match step {
        7 => Err("seven is too far".to_owned()),
        step => Ok(&from - step),
    })
}

/// Counts up in a stream of outputs with parameters.
#[pytriton::model(name = "Up", batching = false, client = Up)]
pub async fn up(to: ArrayView1<'_, i64>) -> impl Stream<Item = WithParameters<Array1<i64>>> {
    let most = to.sum();
    iter((0..most).map(|step| WithParameters {
        outputs: array![step],
        parameters: Parameters::default(),
    }))
}

/// Sends its responses itself.
#[pytriton::model(name = "Twice", batching = false, client = Doubled)]
pub async fn twice(x: ArrayView1<'_, u8>, responses: &Responses<(Array1<u8>, Array1<bool>)>) {
    for last in [false, true] {
        let answer = (x.to_owned(), Array1::from_elem(1, last));
        if responses.send(answer).await.is_err() {
            return;
        }
    }
}

/// The running total of a sequence.
#[derive(Debug)]
pub struct Total;

#[pytriton::model(name = "Total", client = Total)]
impl Total {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    pub fn infer(&self, #[sequence] sum: &mut i64, x: ArrayView2<i64>) -> Array2<i64> {
        *sum += x.sum();
        array![[*sum]]
    }
}
