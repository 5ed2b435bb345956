use pytriton::error::CallError;
use pytriton::prelude::*;
use pytriton::{bf16, f16};

/// Says <b>what</b> comes, and <img src=x onerror="document.title='broken'"> as it comes.
///
/// </script><script>document.title='broken'</script>
#[pytriton::model(name = "Markup", batching = false)]
fn markup(
    /// A <b>text</b>.
    text: Array1<String>,
) -> Array1<String> {
    text
}

#[pytriton::model(name = "Refusal", max_batch_size = 4)]
#[batch]
fn refusal(_x: ArrayView2<f32>) -> Result<Array2<f32>, String> {
    Err("no, <b>never</b>".to_owned())
}

/// Inverts the colours of a picture.
#[pytriton::model(name = "Negative", max_batch_size = 4)]
#[batch]
fn negative(#[input(shape = [-1, -1, 3])] image: ArrayView4<u8>) -> Array4<u8> {
    image.mapv(|value| 255 - value)
}

/// Returns a file unchanged.
#[pytriton::model(name = "File", max_batch_size = 4)]
#[batch]
#[output(shape = [1])]
fn file(#[input(shape = [1])] file: Array2<Vec<u8>>) -> Array2<Vec<u8>> {
    file
}

/// Counts down to nothing.
#[pytriton::model(name = "Countdown", max_batch_size = 8)]
#[batch]
fn countdown(from: ArrayView2<i32>) -> impl Iterator<Item = Array2<i32>> {
    let from = from.to_owned();
    let most = from.iter().copied().max().unwrap_or_default();
    (0..=most).map(move |step| &from - step)
}

/// The sum of the values of a sequence.
#[pytriton::model(name = "Running", max_sequence_idle_microseconds = 60_000_000)]
fn running(#[sequence] sum: &mut f32, x: ArrayView2<f32>) -> Array2<f32> {
    *sum += x.sum();
    array![[*sum]]
}

/// One input of each integer type with special handling in JavaScript.
#[pytriton::model(name = "Integers", batching = false)]
fn integers(
    small: Array1<i8>,
    large: Array1<i64>,
    largest: Array1<u64>,
) -> (Array1<i8>, Array1<i64>, Array1<u64>) {
    (small, large, largest)
}

/// The same for types without a JSON form.
#[pytriton::model(name = "Floats", batching = false)]
fn floats(
    half: Array1<f16>,
    brain: Array1<bf16>,
    double: Array1<f64>,
    truth: Array1<bool>,
) -> (Array1<f16>, Array1<bf16>, Array1<f64>, Array1<bool>) {
    (half, brain, double, truth)
}

/// A wave with the requested number of values.
#[pytriton::model(name = "Wave", batching = false, client = Wave)]
fn wave(#[input(shape = [1])] length: ArrayView1<u32>) -> Array1<f32> {
    let length = length.first().map_or(0, |length| (*length).min(1_000));
    (0..length).map(|step| (step as f32 / 10.0).sin()).collect()
}

/// The largest value of a wave.
#[pytriton::model(name = "Peak", batching = false)]
async fn peak(
    #[input(shape = [1])] length: ArrayView1<'_, u32>,
    wave: &Call<Wave>,
) -> Result<Array1<f32>, CallError> {
    let wave = wave.call(length).await?;
    Ok(array![wave.fold(0.0, |most, value| value.max(most))])
}
