#![deny(warnings)]
#![forbid(unsafe_code)]
use std::cell::Cell;
use std::rc::Rc;

use pytriton::prelude::*;
use pytriton_runtime::model::SequenceScheduling;
use pytriton_ui_tests::{infer_sequences, spec, tensor};

#[pytriton::model(name = "RunningSum")]
fn sum(x: ArrayView2<f32>, #[sequence] sum: &mut f32) -> Array2<f32> {
    *sum += x.sum();
    array![[*sum]]
}

/// The state does not need to be `Send`.
struct Sums {
    sum: i64,
    started: Rc<Cell<i64>>,
}

struct Running {
    started: Rc<Cell<i64>>,
}

#[pytriton::model(name = "Running", sequence_batching = oldest, max_candidate_sequences = 3)]
impl Running {
    #[load]
    fn load() -> Self {
        Self {
            started: Rc::default(),
        }
    }

    #[sequence]
    fn start(&self, context: &Context, sequence: &Sequence) -> Result<Sums, String> {
        if sequence.id().to_string() == "never" {
            return Err(format!("{} has none", context.model().name));
        }
        self.started.set(self.started.get() + 1);
        Ok(Sums {
            sum: 0,
            started: Rc::clone(&self.started),
        })
    }

    #[infer]
    #[batch]
    async fn infer(&self, #[sequence] sums: &mut [&mut Sums], x: ArrayView2<i64>) -> Array2<i64> {
        assert_eq!(sums.len(), x.nrows());
        for (sums, x) in sums.iter_mut().zip(&x) {
            sums.sum += x;
        }
        Array2::from_shape_fn((sums.len(), 1), |(row, _)| {
            sums[row].sum * 100 + sums[row].started.get()
        })
    }
}

#[derive(Default)]
struct Words(Vec<String>);

struct Without;

#[pytriton::model(name = "Without", sequence_batching = direct)]
impl Without {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    fn infer(
        &self,
        sequence: &Sequence,
        #[sequence] words: &mut Words,
        x: ArrayView2<String>,
    ) -> Array2<String> {
        let Self = self;
        words.0.extend(x.iter().cloned());
        array![[format!("{}: {}", sequence.id(), words.0.join(" "))]]
    }
}

struct Fixed;

#[pytriton::model(name = "Fixed", batching = false)]
impl Fixed {
    #[load]
    fn load() -> Self {
        Self
    }

    #[sequence]
    fn start() -> u8 {
        7
    }

    #[infer]
    fn infer(&self, #[sequence] count: &mut u8, x: ArrayView1<u8>) -> Array1<u8> {
        *count += x.sum();
        array![*count]
    }
}

#[pytriton::model(name = "RawSequences", max_batch_size = 2)]
#[input(name = "x", datatype = INT32, shape = [1])]
fn raw(requests: &[Request], #[sequence] sums: &mut [&mut i32]) -> Vec<Array2<i32>> {
    let pairs = requests.iter().zip(sums);
    pairs
        .map(|(request, sum)| {
            **sum += request.array::<i32>("x").unwrap().unwrap().sum();
            array![[**sum, i32::from(request.sequence().unwrap().starts())]]
        })
        .collect()
}

#[pytriton::model(name = "Told", sequence_batching = oldest)]
#[batch]
fn describe(sequences: &[&Sequence], x: ArrayView2<u64>) -> Array2<String> {
    let lines = sequences.iter().zip(&x).map(|(sequence, x)| {
        format!(
            "{} {} {} {x}",
            sequence.id(),
            sequence.starts(),
            sequence.ends()
        )
    });
    Array::from_iter(lines).insert_axis(Axis(1))
}

type State<'s> = &'s mut u32;

/// The state is borrowed until the stream ends.
#[pytriton::model(name = "Streamed")]
fn streamed(#[sequence] count: State<'_>, x: ArrayView2<u32>) -> impl Iterator<Item = Array2<u32>> {
    (0..x.sum()).map(|_| {
        *count += 1;
        array![[*count]]
    })
}

#[pytriton::model(name = "StreamedBatch")]
#[batch]
async fn streamed_batch(
    #[sequence] counts: &mut [&mut u32],
    x: ArrayView2<u32>,
    responses: &Responses<Array2<u32>>,
) -> Result<(), Cancelled> {
    for _ in 0..x.sum() {
        counts.iter_mut().for_each(|count| **count += 1);
        let counts = counts.iter().map(|count| **count);
        responses
            .send(Array::from_iter(counts).insert_axis(Axis(1)))
            .await?;
    }
    Ok(())
}

macro_rules! counter {
    ($name:literal, $function:ident, $state:ty) => {
        #[pytriton::model(name = $name)]
        fn $function(#[sequence] count: &mut $state, _x: ArrayView2<u8>) -> Array2<$state> {
            *count += 1;
            array![[*count]]
        }
    };
}

counter!("Counter", counter, u64);

pub(crate) fn main() {
    for name in ["RunningSum", "Streamed", "Fixed", "Counter"] {
        let batcher = spec(name).batcher.unwrap();
        assert_eq!(batcher.sequences, Some(SequenceScheduling::Direct));
    }
    let x = |x: f32| vec![("x", tensor::<f32>(&[1, 1], [x]))];
    let y = |y: f32| Ok(vec![tensor::<f32>(&[1, 1], [y])]);
    let lost = "the state of sequence 6 of model 'RunningSum' is lost: the instance does not have it, as after a restart; start the sequence again";
    let batches = [
        vec![
            ("5", "start", x(1.0)),
            ("6", "", x(9.0)),
            ("7", "start", x(10.0)),
        ],
        vec![("5", "", x(2.0)), ("7", "", x(20.0))],
        vec![("5", "start", x(4.0))],
        vec![("5", "end", x(8.0)), ("7", "end", x(40.0))],
        vec![("6", "start end", x(3.0))],
    ];
    let expected = [
        vec![y(1.0), Err(lost.to_owned()), y(10.0)],
        vec![y(3.0), y(30.0)],
        vec![y(4.0)],
        vec![y(12.0), y(70.0)],
        vec![y(3.0)],
    ];
    assert_eq!(infer_sequences("RunningSum", &batches), expected);

    let x = |x: i64| vec![("x", tensor::<i64>(&[1, 1], [x]))];
    let y = |y: i64| Ok(vec![tensor::<i64>(&[1, 1], [y])]);
    let batches = [
        vec![
            ("1", "start", x(1)),
            ("never", "start", x(2)),
            ("3", "start", x(3)),
        ],
        vec![("1", "", x(4)), ("never", "", x(5)), ("3", "end", x(6))],
    ];
    let expected = [
        // The first request precedes the one without a state, and is called alone.
        vec![y(101), Err("model 'Running' failed: Running has none".to_owned()), y(302)],
        vec![y(502), Err("the state of sequence never of model 'Running' is lost: it could not be created; start the sequence again".to_owned()), y(902)],
    ];
    assert_eq!(infer_sequences("Running", &batches), expected);

    let x = |x: &str| vec![("x", tensor::<String>(&[1, 1], [x.to_owned()]))];
    let y = |y: &str| Ok(vec![tensor::<String>(&[1, 1], [y.to_owned()])]);
    let batches = [
        vec![("a", "start", x("one")), ("b", "start", x("two"))],
        vec![("a", "", x("three"))],
    ];
    let expected = [vec![y("a: one"), y("b: two")], vec![y("a: one three")]];
    assert_eq!(infer_sequences("Without", &batches), expected);

    let x = |x: u8| vec![("x", tensor::<u8>(&[1], [x]))];
    let y = |y: u8| Ok(vec![tensor::<u8>(&[1], [y])]);
    let batches = [vec![("1", "start", x(1))], vec![("1", "", x(2))]];
    assert_eq!(
        infer_sequences("Fixed", &batches),
        [vec![y(8)], vec![y(10)]]
    );

    let x = |x: i32| vec![("x", tensor::<i32>(&[1, 1], [x]))];
    let y = |y: [i32; 2]| Ok(vec![tensor::<i32>(&[1, 2], y)]);
    let batches = [
        vec![("1", "start", x(1)), ("2", "start", x(2))],
        vec![("2", "", x(3)), ("1", "", x(4))],
    ];
    let expected = [vec![y([1, 1]), y([2, 1])], vec![y([5, 0]), y([5, 0])]];
    assert_eq!(infer_sequences("RawSequences", &batches), expected);

    let x = |x: u64| vec![("x", tensor::<u64>(&[1, 1], [x]))];
    let y = |y: &str| Ok(vec![tensor::<String>(&[1, 1], [y.to_owned()])]);
    let batches = [vec![
        ("1", "start", x(1)),
        ("2", "", x(2)),
        ("3", "start end", x(3)),
    ]];
    let expected = [vec![
        y("1 true false 1"),
        y("2 false false 2"),
        y("3 true true 3"),
    ]];
    assert_eq!(infer_sequences("Told", &batches), expected);

    let x = || vec![("_x", tensor::<u8>(&[1, 1], [0]))];
    let y = |y: u64| Ok(vec![tensor::<u64>(&[1, 1], [y])]);
    let batches = [vec![("1", "start", x())], vec![("1", "", x())]];
    assert_eq!(
        infer_sequences("Counter", &batches),
        [vec![y(1)], vec![y(2)]]
    );
}
