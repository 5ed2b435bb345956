//! Functions with fatal errors, on both engines.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use pytriton::error::ServerError;
use pytriton::ndarray::{Array2, Ix2};
use pytriton::runtime_models::{Function, PerBatch, Raw};
use pytriton::{Error, Request, Triton};
use pytriton_tests::Engine;
use serde_json::json;

use crate::http::{Answer, begin, get, infer};
use crate::{DEADLINE, Result, model, triton};

const ENGINES: [Engine; 2] = [Engine::Embedded, Engine::Tritonserver];
/// The time limit from the last response to the end.
const PROMPT: Duration = Duration::from_secs(1);

/// -1 is a fatal error, -2 a panic, and 5 takes half a second.
fn answer(x: Array2<f32>) -> std::result::Result<Array2<f32>, Error> {
    match x[[0, 0]] {
        -1.0 => Err(Error::unrecoverable("the device is lost"))?,
        -2.0 => panic!("the device is lost"),
        5.0 => thread::sleep(Duration::from_millis(500)),
        _ => {}
    }
    Ok(x)
}

fn plain() -> Function {
    Function::new(PerBatch, |call| {
        answer(call.array::<f32, Ix2>("x")?.into_owned())
    })
}

/// Waits until a server has ended, and returns the reason.
fn ended(triton: &Triton, model: &str, since: Instant) -> Result<()> {
    while triton.addresses().is_some() {
        assert!(since.elapsed() < PROMPT, "it has not ended");
        thread::sleep(Duration::from_millis(5));
    }
    let error = triton.stop().err().ok_or("it ended well")?;
    assert!(matches!(error, ServerError::Broken(_)), "{error}");
    let expected = format!("model '{model}' has a fatal error: model '{model}' ");
    let text = error.to_string();
    assert!(
        text.starts_with(&expected) && text.ends_with(": the device is lost"),
        "{text}"
    );
    Ok(())
}

#[test]
fn the_client_receives_the_error_and_the_server_ends() -> Result<()> {
    for engine in ENGINES {
        let stateful = Function::new(PerBatch.stateful(|_| Ok(())), |call| {
            answer(call.array::<f32, Ix2>("x")?.into_owned())
        });
        let waits = Function::new_async(PerBatch, async |call| {
            let x = call.array::<f32, Ix2>("x")?.into_owned();
            tokio::time::sleep(Duration::from_millis(5)).await;
            answer(x)
        });
        let table = [
            (model("plain"), plain(), -1.0, "failed"),
            (model("stateful"), stateful, -1.0, "failed"),
            (model("waits").batches_in_flight(2), waits, -1.0, "failed"),
            (
                model("panics").unrecoverable_panics(true),
                plain(),
                -2.0,
                "panicked",
            ),
            (
                model("limited").max_call(Duration::from_secs(5)),
                plain(),
                -1.0,
                "failed",
            ),
        ];
        for (model, function, lost, verb) in table {
            let triton = triton(engine)?;
            triton.bind(model, function)?;
            triton.bind(crate::model("other"), plain())?;
            let models = triton.models();
            let mut names = models.iter().map(|model| model.name.to_string());
            let name = names.find(|name| name != "other").unwrap_or_default();
            let at = triton.run()?.http().ok_or("no HTTP")?;
            assert_eq!(infer(at, &name, &[&[2.0]])?, json!([2.0]));
            let under_way = begin(at, "other", &[&[5.0]])?;
            thread::sleep(Duration::from_millis(100));
            let Answer { status, body } = begin(at, &name, &[&[lost]])?.answer()?;
            let expected = format!("model '{name}' {verb}: the device is lost");
            assert_eq!(
                (status, &body["error"]),
                (500, &json!(expected)),
                "{engine:?}"
            );
            assert!(!triton.is_alive(), "{engine:?} {name}");
            // A running request for another model completes.
            let answer = under_way.answer()?;
            assert_eq!(answer.status, 200, "{engine:?} {name}: {answer:?}");
            ended(&triton, &name, Instant::now())?;
        }
    }
    Ok(())
}

#[test]
fn model_refuses_requests_after_a_fatal_error() -> Result<()> {
    for engine in ENGINES {
        let triton = triton(engine)?;
        triton.bind(model("lost"), plain())?;
        triton.bind(model("other"), plain())?;
        let at = triton.run()?.http().ok_or("no HTTP")?;
        // This request delays the end of the server.
        let under_way = begin(at, "other", &[&[5.0]])?;
        thread::sleep(Duration::from_millis(100));
        assert_eq!(begin(at, "lost", &[&[-1.0]])?.answer()?.status, 500);
        if let Ok(ready) = get(at, "/v2/models/lost/ready") {
            assert_eq!(ready.status, 400, "{engine:?}");
        }
        if let Ok(refused) = begin(at, "lost", &[&[1.0]]).and_then(|asked| asked.answer()) {
            assert!(refused.status >= 500, "{engine:?}: {refused:?}");
        }
        assert_eq!(under_way.answer()?.status, 200);
        ended(&triton, "lost", Instant::now())?;
    }
    Ok(())
}

#[test]
fn other_requests_of_the_batch_receive_one_response() -> Result<()> {
    for engine in ENGINES {
        let triton = triton(engine)?;
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let function = Function::new(PerBatch, move |call| {
            counted.fetch_add(1, Ordering::SeqCst);
            answer(call.array::<f32, Ix2>("x")?.into_owned())
        });
        let gathered = model("lost")
            .preferred_batch_size([4])
            .max_queue_delay(Duration::from_secs(5));
        triton.bind(gathered, function)?;
        let at = triton.run()?.http().ok_or("no HTTP")?;
        let asked: Vec<_> = (0..4).map(|_| begin(at, "lost", &[&[-1.0]])).collect();
        for asked in asked {
            let answer = asked?.answer()?;
            let expected = json!("model 'lost' failed: the device is lost");
            assert_eq!((answer.status, &answer.body["error"]), (500, &expected));
        }
        assert_eq!(calls.load(Ordering::SeqCst), 1, "{engine:?}");
        ended(&triton, "lost", Instant::now())?;
    }
    Ok(())
}

#[test]
fn abandoned_request_does_not_delay_the_end() -> Result<()> {
    let triton = triton(Engine::Embedded)?;
    let (entered, leave) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let (inside, outside) = (Arc::clone(&entered), Arc::clone(&leave));
    let held = Function::new(PerBatch, move |call| {
        inside.wait();
        outside.wait();
        Ok(call.array::<f32, Ix2>("x")?.into_owned())
    });
    triton.bind(model("held"), held)?;
    triton.bind(model("lost"), plain())?;
    let at = triton.run()?.http().ok_or("no HTTP")?;
    let abandoned = begin(at, "held", &[&[1.0]])?;
    entered.wait();
    drop(abandoned);
    assert_eq!(begin(at, "lost", &[&[-1.0]])?.answer()?.status, 500);
    ended(&triton, "lost", Instant::now())?;
    leave.wait();
    Ok(())
}

/// A function with separate results may return a fatal error for some requests. Only these fail,
/// and the server ends nevertheless.
#[test]
fn fatal_error_for_some_requests_fails_only_these() -> Result<()> {
    let mixes = [
        &[][..],
        &[0],
        &[1],
        &[2],
        &[3],
        &[0, 3],
        &[1, 2],
        &[0, 1, 2, 3],
    ];
    for engine in ENGINES {
        for lost in mixes {
            let triton = triton(engine)?;
            let function = Function::new(Raw, |call| {
                assert_eq!(call.requests().len(), 4);
                let each = |request: &Request| {
                    answer(
                        request
                            .array::<f32>("x")?
                            .ok_or("no x")?
                            .into_dimensionality()?
                            .into_owned(),
                    )
                };
                Ok(call.requests().iter().map(each).collect::<Vec<_>>())
            });
            let gathered = model("lost")
                .preferred_batch_size([4])
                .max_queue_delay(Duration::from_secs(5));
            triton.bind(gathered, function)?;
            let at = triton.run()?.http().ok_or("no HTTP")?;
            let value = |place: usize| match lost.contains(&place) {
                true => -1.0,
                false => place as f32,
            };
            let asked: Vec<_> = (0..4)
                .map(|place| begin(at, "lost", &[&[value(place)]]))
                .collect();
            for (place, asked) in asked.into_iter().enumerate() {
                let answer = asked?.answer()?;
                let (status, found, expected) = match lost.contains(&place) {
                    true => (
                        500,
                        &answer.body["error"],
                        json!("model 'lost' failed: the device is lost"),
                    ),
                    false => (
                        200,
                        &answer.body["outputs"][0]["data"],
                        json!([value(place)]),
                    ),
                };
                assert_eq!(
                    (answer.status, found),
                    (status, &expected),
                    "{engine:?} {lost:?} {place}"
                );
            }
            match lost.is_empty() {
                true => assert!(triton.is_alive() && get(at, "/v2/health/ready")?.status == 200),
                false => ended(&triton, "lost", Instant::now())?,
            }
        }
    }
    Ok(())
}

/// -1 at each position of a batch, and at two positions: the whole batch fails in each case.
#[test]
fn fatal_error_at_any_position_fails_the_batch() -> Result<()> {
    let places = [&[0][..], &[1], &[2], &[3], &[0, 3], &[1, 2]];
    for engine in ENGINES {
        for lost in places {
            let triton = triton(engine)?;
            let function = Function::new(PerBatch, |call| {
                let x = call.array::<f32, Ix2>("x")?.into_owned();
                assert_eq!(x.nrows(), 4);
                match x.iter().any(|value| *value == -1.0) {
                    true => Err(Error::unrecoverable("the device is lost"))?,
                    false => Ok(x),
                }
            });
            let gathered = model("lost")
                .preferred_batch_size([4])
                .max_queue_delay(Duration::from_secs(5));
            triton.bind(gathered, function)?;
            let at = triton.run()?.http().ok_or("no HTTP")?;
            let asked: Vec<_> = (0..4)
                .map(|place| match lost.contains(&place) {
                    true => begin(at, "lost", &[&[-1.0]]),
                    false => begin(at, "lost", &[&[1.0]]),
                })
                .collect();
            for asked in asked {
                let answer = asked?.answer()?;
                let expected = json!("model 'lost' failed: the device is lost");
                let found = (answer.status, &answer.body["error"]);
                assert_eq!(found, (500, &expected), "{engine:?} {lost:?}");
            }
            ended(&triton, "lost", Instant::now())?;
        }
    }
    Ok(())
}

#[test]
fn concurrent_fatal_errors_end_the_server_once() -> Result<()> {
    for engine in ENGINES {
        let triton = triton(engine)?;
        let both = Arc::new(Barrier::new(2));
        for name in ["one", "two"] {
            let both = Arc::clone(&both);
            let function = Function::new(PerBatch, move |call| {
                both.wait();
                answer(call.array::<f32, Ix2>("x")?.into_owned())
            });
            triton.bind(model(name), function)?;
        }
        let at = triton.run()?.http().ok_or("no HTTP")?;
        let asked = ["one", "two"].map(|name| (name, begin(at, name, &[&[-1.0]])));
        for (name, asked) in asked {
            let answer = asked?.answer()?;
            let expected = format!("model '{name}' failed: the device is lost");
            let found = (answer.status, &answer.body["error"]);
            assert_eq!(found, (500, &json!(expected)), "{engine:?}");
        }
        let begun = Instant::now();
        while triton.addresses().is_some() {
            assert!(begun.elapsed() < PROMPT, "it has not ended");
            thread::sleep(Duration::from_millis(5));
        }
        let error = triton.stop().err().ok_or("it ended well")?;
        assert!(matches!(error, ServerError::Broken(_)), "{error}");
    }
    Ok(())
}

#[test]
fn fatal_error_ends_streams() -> Result<()> {
    for engine in ENGINES {
        let triton = triton(engine)?;
        let function = Function::new(PerBatch, |call| {
            let x = call.array::<f32, Ix2>("x")?.into_owned();
            Ok([Ok(x.clone()), answer(x)].into_iter())
        });
        triton.bind(model("lost"), function)?;
        let at = triton.run()?.http().ok_or("no HTTP")?;
        let body = r#"{"x":[-1.0]}"#;
        let path = "/v2/models/lost/generate_stream";
        let answer = crate::http::send(at, "POST", path, body)?.answer()?;
        let events = answer.body.to_string();
        assert_eq!(events.matches("\\\"y\\\":").count(), 1, "{events}");
        assert_eq!(events.matches("the device is lost").count(), 1, "{events}");
        let begun = Instant::now();
        assert!(begun.elapsed() < DEADLINE);
        ended(&triton, "lost", begun)?;
    }
    Ok(())
}
