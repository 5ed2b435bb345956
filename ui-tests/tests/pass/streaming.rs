#![deny(warnings)]
use futures_util::stream::{self, Stream};
use pytriton::prelude::*;
use pytriton_ui_tests::spec;

#[pytriton::model(name = "Iterator")]
fn iterator(x: ArrayView2<f32>) -> impl Iterator<Item = Array2<f32>> {
    (0..x.nrows()).map(move |row| x.slice(s![row..=row, ..]).to_owned())
}

#[pytriton::model(name = "Batch", preferred_batch_size = [4])]
#[fill_optionals(by = 1.0)]
#[batch]
fn batch_of_them(
    x: ArrayView2<f32>,
    by: ArrayView2<f32>,
    context: &Context,
) -> impl Iterator<Item = (Array2<f32>, Array2<u32>)> + use<> {
    let instance = context.instance();
    std::iter::once((&x + &by, Array2::from_elem((x.nrows(), 1), instance)))
}

#[pytriton::model(name = "Stream")]
fn of_a_stream(x: Array2<i64>) -> impl Stream<Item = Result<Array2<i64>, String>> {
    stream::iter([Ok(x), Err("no more".to_owned())])
}

#[pytriton::model(name = "Fallible")]
#[output(name = "token", shape = [1])]
async fn fallible(
    x: Array2<i64>,
) -> Result<impl Iterator<Item = Array2<i64>>, Box<dyn std::error::Error>> {
    Ok(std::iter::repeat_n(x, "2".parse::<usize>()?))
}

#[pytriton::model(name = "Responses")]
#[batch]
fn responses(x: ArrayView2<f32>, responses: &Responses<Array2<f32>>) -> Result<(), Cancelled> {
    responses.blocking_send(x.to_owned())
}

#[pytriton::model(name = "RawStream")]
#[input(name = "x", datatype = FP32, shape = [-1])]
async fn raw(requests: &[Request], responses: Vec<Responses<Result<Array2<f32>, String>>>) {
    for (request, responses) in requests.iter().zip(responses) {
        let answer = request.array::<f32>("x");
        let answer = answer
            .map(|_| Array2::zeros((1, 1)))
            .map_err(|error| error.to_string());
        let _ = responses.send(answer).await;
    }
}

#[pytriton::model(name = "Cancellation")]
fn cancellation(x: ArrayView2<f32>, cancellation: &Cancellation) -> Array2<f32> {
    &x * if cancellation.is_cancelled() {
        0.0
    } else {
        1.0
    }
}

struct State(Vec<f32>);

#[pytriton::model(name = "StateStream")]
impl State {
    #[load]
    fn load() -> Self {
        Self(vec![1.0, 2.0])
    }

    #[infer]
    fn infer(&self, x: ArrayView2<f32>) -> impl Iterator<Item = Array2<f32>> {
        self.0.iter().map(move |by| &x * *by)
    }
}

pub(crate) fn main() {
    for name in [
        "Iterator",
        "Batch",
        "Stream",
        "Fallible",
        "Responses",
        "RawStream",
        "StateStream",
    ] {
        assert!(spec(name).decoupled, "{name}");
    }
    let plain = spec("Cancellation");
    assert!(plain.cancellable && !plain.decoupled);
    assert_eq!(&*spec("Fallible").outputs[0].name, "token");
    assert_eq!(spec("Batch").outputs.len(), 2);
    assert_eq!(spec("RawStream").outputs.len(), 1);
}
