//! Recordings of different lengths in one call, without padding.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::try_join_all;
use pytriton::error::CallError;
use pytriton::prelude::*;
use pytriton::runtime_models::{Function, Input, Model, Output, PerBatch};
use pytriton::testing::{advance, serve};

mod http;

/// Returns the mean energy of each recording, and the number of recordings in the call.
#[pytriton::model(
    name = "Loudness",
    client = Loudness,
    max_batch_size = 16,
    max_queue_delay_microseconds = 1_000_000,
    max_batch_cost = 1000
)]
#[batch]
#[cost(samples)]
fn loudness(samples: Ragged<f32>) -> (Array2<f32>, Array2<u32>) {
    let energy = |row: ArrayView1<f32>| row.dot(&row) / row.len().max(1) as f32;
    let energies: Array1<f32> = samples.rows().map(energy).collect();
    let rows = energies.len();
    (
        energies.insert_axis(Axis(1)),
        Array2::from_elem((rows, 1), rows as u32),
    )
}

#[pytriton::test(start_paused = true)]
async fn recordings_of_all_lengths_share_a_call(model: Call<Loudness>) -> Result<(), CallError> {
    for lengths in [vec![7], vec![0, 1], vec![400, 0, 3, 90], vec![600, 600]] {
        let calls = lengths.iter().map(|&length| {
            let level = length as f32;
            model
                .call(Array2::from_elem((1, length), level))
                .into_future()
        });
        let mut calls = Box::pin(try_join_all(calls));
        assert!(calls.as_mut().now_or_never().is_none());
        advance(Duration::from_secs(1)).await;
        let rows = match lengths.iter().sum::<usize>() {
            0..=1000 => lengths.len() as u32,
            _ => 1,
        };
        for ((energy, found), length) in calls.await?.into_iter().zip(lengths) {
            assert_eq!(energy, array![[(length * length) as f32]]);
            assert_eq!(found, array![[rows]]);
        }
    }
    Ok(())
}

#[test]
fn reading_with_the_wrong_method_is_explained() {
    for (ragged, expected) in [
        (true, "it is ragged: read it with `ragged`"),
        (
            false,
            "it is not ragged: read it with `array`, or declare it with `ragged()`",
        ),
    ] {
        let input = Input::new::<f32>("x", [-1]);
        let model = Model::new("Wrong").input(if ragged { input.ragged() } else { input });
        let model = model.output(Output::new::<f32>("y", [-1]));
        let function = Function::new(PerBatch, move |call| match ragged {
            true => Ok(call.array::<f32, Ix2>("x")?.to_owned()),
            false => Ok(Array2::zeros((call.ragged::<f32>("x")?.len(), 1))),
        });
        let served = serve(model, function).unwrap();
        let response = http::request(
            served.http(),
            "POST",
            "/v2/models/Wrong/generate",
            r#"{"x": [1, 2]}"#,
        );
        assert!(response.starts_with("HTTP/1.1 500"), "{response}");
        assert!(response.contains(expected), "{response}");
    }
}
