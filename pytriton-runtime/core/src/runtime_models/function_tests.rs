//! Every mode, with every kind of state, returns every kind of responses.

use std::cell::Cell;
use std::thread;

use futures_util::stream;
use ndarray::{Array2, CowArray, Ix2};

use super::super::testing::{model, responses};
use super::super::{Function, Named, PerBatch, PerRequest, Raw};

/// Adds a number to the input.
fn plus(x: &CowArray<'_, f32, Ix2>, number: f32) -> Array2<f32> {
    x + number
}

/// Two responses: the array, and the array plus 0.5.
fn two(x: Array2<f32>) -> impl Iterator<Item = Result<Array2<f32>, crate::error::Error>> {
    [0.0, 0.5].into_iter().map(move |half| Ok(&x + half))
}

/// Each form of a function that responds with the input plus the number in its states, and the
/// number of its responses.
macro_rules! forms {
    ($mode:expr, |$call:ident| $state:expr) => {{
        let forms: [(&str, Function, usize); 8] = [
            (
                "outputs",
                Function::new($mode, |$call| {
                    let x = $call.array("INPUT_1")?;
                    Ok(plus(&x, $state))
                }),
                1,
            ),
            (
                "async outputs",
                Function::new_async($mode, async |$call| {
                    let x = $call.array("INPUT_1")?;
                    tokio::task::yield_now().await;
                    Ok(plus(&x, $state))
                }),
                1,
            ),
            (
                "iterator",
                Function::new($mode, |$call| {
                    let x = $call.array("INPUT_1")?;
                    Ok(two(plus(&x, $state)))
                }),
                2,
            ),
            (
                "async iterator",
                Function::new_async($mode, async |$call| {
                    let x = $call.array("INPUT_1")?;
                    tokio::task::yield_now().await;
                    Ok(two(plus(&x, $state)))
                }),
                2,
            ),
            (
                "stream",
                Function::new($mode, |$call| {
                    let x = $call.array("INPUT_1")?;
                    Ok(stream::iter(two(plus(&x, $state))))
                }),
                2,
            ),
            (
                "async stream",
                Function::new_async($mode, async |$call| {
                    let x = $call.array("INPUT_1")?;
                    tokio::task::yield_now().await;
                    Ok(stream::iter(two(plus(&x, $state))))
                }),
                2,
            ),
            (
                "sent",
                Function::new($mode, |$call| {
                    let (x, responses) = ($call.array("INPUT_1")?, $call.responses()?);
                    let x = plus(&x, $state);
                    responses.blocking_send(x.clone())?;
                    responses.blocking_send(x + 0.5)?;
                    Ok(())
                }),
                2,
            ),
            (
                "async sent",
                Function::new_async($mode, async |$call| {
                    let (x, responses) = ($call.array("INPUT_1")?, $call.responses()?);
                    let x = plus(&x, $state);
                    responses.send(x.clone()).await?;
                    tokio::task::yield_now().await;
                    responses.send(x + 0.5).await?;
                    Ok(())
                }),
                2,
            ),
        ];
        forms
    }};
}

/// Checks the first response to each request, and the second one of streams.
fn check(forms: [(&str, Function, usize); 8], batches: &[&[(u64, f32)]], expected: &[f32]) {
    for (name, function, count) in forms {
        let expected = expected.iter().map(|first| {
            let both = [Ok(*first), Ok(first + 0.5)];
            both.into_iter().take(count).collect::<Vec<_>>()
        });
        let expected: Vec<_> = expected.collect();
        assert_eq!(responses(model(), &function, batches), expected, "{name}");
    }
}

/// Requests without sequences.
const ALONE: [&[(u64, f32)]; 4] = [&[], &[(0, 1.0)], &[(0, 2.0), (0, 3.0)], &[(0, 4.0)]];
/// Requests of two sequences.
const SEQUENCES: [&[(u64, f32)]; 3] = [&[(5, 1.0)], &[(5, 2.0), (6, 3.0)], &[(5, 4.0)]];

#[test]
fn functions_without_a_state_respond_in_every_form() {
    let expected = [1.0, 2.0, 3.0, 4.0];
    check(forms!(PerBatch, |call| 0.0), &ALONE, &expected);
    check(forms!(PerRequest, |call| 0.0), &ALONE, &expected);
}

#[test]
fn functions_with_a_state_respond_in_every_form() {
    let calls = forms!(PerBatch.stateful(|_| Ok(Cell::new(0.0))), |call| {
        call.state.set(call.state.get() + 10.0);
        call.state.get()
    });
    check(calls, &ALONE, &[11.0, 22.0, 23.0, 34.0]);
    let requests = forms!(PerRequest.stateful(|_| Ok(Cell::new(0.0))), |call| {
        call.state.set(call.state.get() + 10.0);
        call.state.get()
    });
    check(requests, &ALONE, &[11.0, 22.0, 33.0, 44.0]);
}

#[test]
fn functions_with_states_of_sequences_respond_in_every_form() {
    let requests = forms!(PerRequest.per_sequence(|_, _| Ok(0.0)), |call| {
        *call.sequence_state += 10.0;
        *call.sequence_state
    });
    check(requests, &SEQUENCES, &[11.0, 22.0, 13.0, 34.0]);
    // The last state is added to all rows.
    let batches = forms!(PerBatch.per_sequence(|_, _| Ok(0.0)), |call| {
        let states = call.sequence_state.into_iter();
        states.fold(0.0, |_, state| {
            *state += 10.0;
            *state
        })
    });
    check(batches, &SEQUENCES, &[11.0, 12.0, 13.0, 34.0]);
}

#[test]
fn functions_with_both_states_respond_in_every_form() {
    let both = || {
        let instance = PerRequest.stateful(|_| Ok(Cell::new(100.0)));
        instance.per_sequence(|state, _, _| Ok(state.get()))
    };
    let requests = forms!(both(), |call| {
        *call.sequence_state += 10.0;
        call.state.set(call.state.get() + 1000.0);
        *call.sequence_state + call.state.get()
    });
    // The second sequence starts with the instance's state at that time.
    let expected = [1211.0, 2222.0, 3000.0 + 100.0 + 2110.0 + 3.0, 4234.0];
    check(requests, &SEQUENCES, &expected);
}

#[test]
fn raw_functions_respond_to_each_request() {
    let table = [
        Function::new(Raw, |call| {
            let requests = call.requests().iter();
            let each = requests.map(|request| match request.array::<f32>("INPUT_1")? {
                Some(x) if x[[0, 0]] < 0.0 => Err("negative".into()),
                x => Ok(x.ok_or("no x")?.into_dimensionality::<Ix2>()?.into_owned()),
            });
            Ok(each.collect::<Vec<_>>())
        }),
        Function::new_async(Raw, async |call| {
            tokio::task::yield_now().await;
            let requests = call.requests().iter();
            let each = requests.map(|request| match request.array::<f32>("INPUT_1")? {
                Some(x) if x[[0, 0]] < 0.0 => Err("negative".into()),
                x => Ok(Named::new().with("y", x.ok_or("no x")?.into_owned())),
            });
            Ok(each.collect::<Vec<_>>())
        }),
    ];
    for function in table {
        let got = responses(model(), &function, &[&[(0, 1.0)], &[(0, -2.0), (0, 3.0)]]);
        let failed = Err("model 'Model' failed: negative".to_owned());
        assert_eq!(got, [vec![Ok(1.0)], vec![failed], vec![Ok(3.0)]]);
    }
}

#[test]
fn raw_functions_send_responses_to_each_request() {
    let count = Function::new(Raw.per_sequence(|_, _| Ok(0.0)), |call| {
        let (requests, all) = (call.requests(), call.responses()?);
        let each = call.sequence_state.into_iter().zip(requests).zip(all);
        for ((sum, request), responses) in each {
            *sum += request.array::<f32>("INPUT_1")?.ok_or("no x")?.sum();
            let sum = *sum;
            // The call ends after its last sender, on any thread.
            thread::spawn(move || {
                for times in [1.0, 2.0] {
                    let sent = responses.blocking_send(Array2::from_elem((1, 1), sum * times));
                    assert_eq!(sent, Ok(()));
                }
            });
        }
        Ok(())
    });
    let got = responses(model(), &count, &SEQUENCES);
    let expected = [[1.0, 2.0], [3.0, 6.0], [3.0, 6.0], [7.0, 14.0]];
    assert_eq!(got, expected.map(|pair| pair.map(Ok).to_vec()));
}

#[test]
fn error_ends_the_responses() {
    let sent = Function::new(PerBatch, |call| {
        let x = call.array::<f32, Ix2>("INPUT_1")?.into_owned();
        call.responses()?.blocking_send(x)?;
        Err::<(), _>("that was all".into())
    });
    let items = Function::new(PerBatch, |call| {
        let x = call.array::<f32, Ix2>("INPUT_1")?.into_owned();
        Ok([Ok(x), Err("that was all".into())].into_iter())
    });
    for function in [sent, items] {
        let got = responses(model(), &function, &[&[(0, 1.0), (0, 2.0)]]);
        let error = || Err("model 'Model' failed: that was all".to_owned());
        assert_eq!(got, [[Ok(1.0), error()], [Ok(2.0), error()]]);
    }
}
