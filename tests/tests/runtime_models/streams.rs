//! Functions with any number of responses, on both engines.

use std::vec::IntoIter;

use futures_util::stream::{self, Stream, StreamExt};
use pytriton::Error;
use pytriton::ndarray::{Array2, Ix2};
use pytriton::runtime_models::{Function, FunctionCall, PerBatch, PerRequest, Raw, StackedUnit};
use pytriton_tests::Engine;
use serde_json::{Value, json};

use crate::http::send;
use crate::{Result, model, triton};

/// Returns the number of responses that the first number specifies, followed by a failure if the
/// last number is negative.
fn answers(x: &Array2<f32>) -> Vec<std::result::Result<Array2<f32>, Error>> {
    let (count, last) = (x[[0, 0]], x[[0, 1]]);
    let numbers = (0..u16::MAX).map(f32::from);
    let answers = numbers.take_while(|number| *number < count);
    let answers = answers.map(|number| Ok(Array2::from_elem((1, 1), number)));
    let failure = (last < 0.0).then(|| Err("that was all".into()));
    answers.chain(failure).collect()
}

/// Returns the responses to all rows of a call.
fn given<U: StackedUnit>(
    call: &FunctionCall<'_, U>,
) -> std::result::Result<IntoIter<std::result::Result<Array2<f32>, Error>>, Error> {
    Ok(answers(&call.array::<f32, Ix2>("x")?.into_owned()).into_iter())
}

/// Like [`given`], but waits before each response.
fn later<U: StackedUnit>(
    call: &FunctionCall<'_, U>,
) -> std::result::Result<impl Stream<Item = std::result::Result<Array2<f32>, Error>> + use<U>, Error>
{
    Ok(stream::iter(given(call)?).then(async |answer| {
        tokio::task::yield_now().await;
        answer
    }))
}

#[test]
fn every_streaming_form_is_served() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let triton = triton(engine)?;
        triton.bind(
            model("batch_iter"),
            Function::new(PerBatch, |call| given(&call)),
        )?;
        let given_each = Function::new(PerRequest, |call| given(&call));
        triton.bind(model("sample_iter"), given_each)?;
        triton.bind(
            model("batch_stream"),
            Function::new(PerBatch, |call| later(&call)),
        )?;
        let later_each = Function::new(PerRequest, |call| later(&call));
        triton.bind(model("sample_stream"), later_each)?;
        let sent = Function::new(PerBatch, |call| {
            let responses = call.responses()?;
            given(&call)?.try_for_each(|answer| Ok(responses.blocking_send(answer?)?))
        });
        triton.bind(model("sent"), sent)?;
        let raw_sent = Function::new_async(Raw, async |call| {
            for (request, responses) in call.requests().iter().zip(call.responses()?) {
                let x = request.array::<f32>("x")?.ok_or("no x")?;
                for answer in answers(&x.into_dimensionality()?.into_owned()) {
                    responses.send(answer?).await?;
                }
            }
            Ok(())
        });
        triton.bind(model("raw_sent"), raw_sent)?;
        let at = triton.run()?.http().ok_or("no HTTP")?;
        let names = ["batch_iter", "sample_iter", "batch_stream", "sample_stream"];
        for name in names.into_iter().chain(["sent", "raw_sent"]) {
            for count in [0, 1, 2, 5] {
                let expected: Vec<f64> = (0..count).map(f64::from).collect();
                assert_eq!(
                    collect_numbers(at, name, count, 1)?,
                    (expected.clone(), 0),
                    "{engine:?} {name}"
                );
                assert_eq!(
                    collect_numbers(at, name, count, -1)?,
                    (expected, 1),
                    "{engine:?} {name}"
                );
            }
            let refused = send(at, "POST", &format!("/v2/models/{name}/infer"), "{}")?.answer()?;
            assert_eq!(refused.status, 501, "{engine:?} {name}: {:?}", refused.body);
        }
        triton.stop()?;
    }
    Ok(())
}

/// Returns the numbers in the responses, and the number of failures after them.
fn collect_numbers(
    at: std::net::SocketAddr,
    name: &str,
    count: i16,
    last: i16,
) -> Result<(Vec<f64>, usize)> {
    let body = json!({"x": [count, last]}).to_string();
    let answer = send(
        at,
        "POST",
        &format!("/v2/models/{name}/generate_stream"),
        &body,
    )?
    .answer()?;
    let text = answer
        .body
        .as_str()
        .map_or_else(|| answer.body.to_string(), str::to_owned);
    let events = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("data: "));
    let events = events
        .map(serde_json::from_str)
        .collect::<std::result::Result<Vec<Value>, _>>()?;
    let failures = events.iter().filter(|event| event.get("error").is_some());
    let failures = failures.count();
    let numbers = events.iter().filter_map(|event| event["y"].as_f64());
    Ok((numbers.collect(), failures))
}
