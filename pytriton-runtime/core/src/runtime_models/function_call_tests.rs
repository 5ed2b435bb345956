use std::iter::once;
use std::thread;

use futures_util::stream::iter;
use ndarray::{Array2, Ix2};

use crate::call::WithParameters;
use crate::error::Error;
use crate::model::SequenceScheduling;
use crate::request::{ParameterValue, Parameters, Sequence};

use super::super::testing::{model, responses, responses_to};
use super::super::unit::StackedUnit;
use super::super::{Function, FunctionCall, Named, PerBatch, PerRequest, Raw};

/// Requests of two sequences.
const SEQUENCES: [&[(u64, f32)]; 2] = [&[(5, 1.0)], &[(5, 2.0), (6, 3.0)]];

#[test]
fn sent_responses_have_names_and_parameters() {
    let mut parameters = Parameters::default();
    parameters.insert("plus", ParameterValue::Int64(5));
    let function = Function::new_async(PerBatch, async move |call| {
        let x = call.array::<f32, Ix2>("INPUT_1")?.into_owned();
        let named = |x: &Array2<f32>| Named::new().with("y", x.clone());
        let responses = call.responses()?;
        responses.send(named(&x)).await?;
        responses.send_with(named(&x), parameters.clone()).await?;
        Ok(())
    });
    let got = responses(model(), &function, &[&[(0, 1.0)]]);
    assert_eq!(got, [[Ok(1.0), Ok(6.0)]]);
    let mut parameters = Parameters::default();
    parameters.insert("plus", ParameterValue::Int64(7));
    let function = Function::new(PerBatch, move |call| {
        let x = call.array::<f32, Ix2>("INPUT_1")?.into_owned();
        Ok(WithParameters {
            outputs: Named::new().with("y", x),
            parameters: parameters.clone(),
        })
    });
    let got = responses(model(), &function, &[&[(0, 1.0)]]);
    assert_eq!(got, [[Ok(8.0)]]);
}

#[test]
fn function_sees_that_its_clients_have_disconnected() {
    let function = Function::new(PerRequest, |call| {
        let cancelled = call.cancellation()?.is_cancelled();
        Ok(Array2::from_elem((1, 1), f32::from(u8::from(cancelled))))
    });
    for (cancelled, expected) in [(false, 0.0), (true, 1.0)] {
        let got = responses_to(model().cancellable(), &function, &[&[(0, 1.0)]], cancelled);
        assert_eq!(got, [[Ok(expected)]]);
    }
    let got = responses(model(), &function, &[&[(0, 1.0)]]);
    let text = "model 'Model' reads the cancellation of a call: declare it with `cancellable()`";
    assert_eq!(got, [[Err(text.to_owned())]]);
}

#[test]
fn function_reads_the_sequence_of_each_request() {
    let id = |sequence: &Sequence| sequence.id().to_string().parse::<f32>();
    let one = Function::new(PerRequest, move |call| {
        Ok(Array2::from_elem((1, 1), id(call.sequence()?)?))
    });
    let many = Function::new(PerBatch, move |call| {
        let ids = call.sequences()?.into_iter().map(id);
        let ids = ids.collect::<Result<Vec<_>, _>>()?;
        Ok(Array2::from_shape_vec((ids.len(), 1), ids)?)
    });
    for function in [one, many] {
        let sequences = model().sequence_batching(SequenceScheduling::Direct);
        let got = responses(sequences, &function, &SEQUENCES);
        assert_eq!(got, [5.0, 5.0, 6.0].map(|id| vec![Ok(id)]));
        let got = responses(model(), &function, &[&[(0, 1.0)]]);
        let text =
            "model 'Model' reads the sequence of a request: declare it with `sequence_batching(…)`";
        assert_eq!(got, [[Err(text.to_owned())]]);
    }
}

/// Sends the input on another thread, which panics for 3, and fails for 2 afterwards.
fn send_elsewhere<U: StackedUnit>(call: &FunctionCall<'_, U>) -> Result<(), Error> {
    let x = call.array::<f32, Ix2>("INPUT_1")?.into_owned();
    let value = x[[0, 0]];
    let responses = call.responses()?;
    let sending = thread::spawn(move || {
        assert!(value < 3.0);
        responses.blocking_send(x)
    });
    let sent = sending.join();
    sent.map_err(|_| Error::unavailable("too late"))??;
    match value < 2.0 {
        true => Ok(()),
        false => Err(Error::unavailable("the function failed")),
    }
}

#[test]
fn function_fails_after_its_sender_is_dropped_on_another_thread() {
    let functions = [
        Function::new(PerBatch, |call| send_elsewhere(&call)),
        Function::new(PerRequest, |call| send_elsewhere(&call)),
    ];
    for function in functions {
        let got = |value| responses(model(), &function, &[&[(0, value)]]).concat();
        assert_eq!(got(1.0), [Ok(1.0)]);
        let [Ok(2.0), Err(error)] = &got(2.0)[..] else {
            panic!("{:?}", got(2.0));
        };
        assert!(error.contains("the function failed"), "{error}");
        let [Err(error)] = &got(3.0)[..] else {
            panic!("{:?}", got(3.0));
        };
        assert!(error.contains("a thread of the function's"), "{error}");
    }
}

#[test]
fn function_that_returns_outputs_sends_no_responses() {
    let both = Function::new(PerBatch, |call| {
        let x = call.array::<f32, Ix2>("INPUT_1")?.into_owned();
        call.responses()?.blocking_send(x.clone())?;
        Ok(x)
    });
    let raw = Function::new(Raw, |call| {
        for responses in call.responses()? {
            responses.blocking_send(Array2::from_elem((1, 1), 1.0_f32))?;
        }
        Ok(vec![Ok(Array2::from_elem((1, 1), 1.0_f32))])
    });
    let iterator = Function::new(PerRequest, |call| {
        let x = call.array::<f32, Ix2>("INPUT_1")?.into_owned();
        call.responses()?.blocking_send(x.clone())?;
        Ok(once(Ok(x)))
    });
    let stream = Function::new_async(PerBatch, async |call| {
        let x = call.array::<f32, Ix2>("INPUT_1")?.into_owned();
        call.responses()?.send(x.clone()).await?;
        Ok(iter([Ok(x)]))
    });
    let text = "model 'Model' sends responses, but returns outputs too: return `Ok(())`, and send every response";
    for function in [both, raw, iterator, stream] {
        for model in [model(), model().cancellable()] {
            let got = responses(model, &function, &[&[(0, 1.0)]]);
            assert_eq!(got, [[Err(text.to_owned())]]);
        }
    }
}
