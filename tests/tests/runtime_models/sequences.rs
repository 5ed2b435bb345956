//! Sequence models whose states are created by closures.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pytriton::config::SequenceScheduling;
use pytriton::ndarray::{Array2, Ix2, array};
use pytriton::runtime_models::{Function, PerBatch, PerRequest, Raw};
use pytriton_tests::Engine;
use serde_json::{Value, json};

use crate::http::send;
use crate::{DEADLINE, Result, model, triton};

/// Returns the first output for one row of `x` in a sequence, or the error.
fn ask(at: SocketAddr, model: &str, (id, flags): (Value, &str), x: f32) -> Result<Value> {
    let body = json!({
        "parameters": {
            "sequence_id": id,
            "sequence_start": flags.contains("start"),
            "sequence_end": flags.contains("end"),
        },
        "inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 1], "data": [x]}],
    });
    let path = format!("/v2/models/{model}/infer");
    let mut answer = send(at, "POST", &path, &body.to_string())?.answer()?;
    Ok(match answer.status {
        200 => answer.body["outputs"][0]["data"][0].take(),
        _ => answer.body["error"].take(),
    })
}

#[test]
fn closure_creates_the_state_of_each_sequence() -> Result<()> {
    each_sequence_has_a_state(Engine::Embedded)?;
    each_sequence_has_a_state(Engine::Tritonserver)
}

fn each_sequence_has_a_state(engine: Engine) -> Result<()> {
    let triton = triton(engine)?;
    // The state is neither `Send` nor `Sync`.
    let sample = PerRequest.per_sequence(|_, _| Ok(Rc::new(Cell::new(0.0_f32))));
    let sample = Function::new(sample, |call| {
        let sum = call.sequence_state.get() + call.array::<f32, Ix2>("x")?.sum();
        call.sequence_state.set(sum);
        Ok(array![[sum]])
    });
    triton.bind(model("sample"), sample)?;
    let batch = PerBatch.per_sequence(|sequence, context| {
        let id = sequence.id().to_string();
        assert_eq!(&*context.model().name, "batch");
        let first: f32 = id.parse().map_err(|_| format!("{id} is no number"))?;
        Ok(first * 1000.0)
    });
    let batch = Function::new(batch, |call| {
        let x = call.array::<f32, Ix2>("x")?;
        let mut sums = call.sequence_state;
        sums.iter_mut().zip(&x).for_each(|(sum, x)| **sum += x);
        Ok(Array2::from_shape_fn((sums.len(), 1), |(row, _)| {
            *sums[row]
        }))
    });
    let oldest = model("batch").sequence_batching(SequenceScheduling::Oldest);
    triton.bind(oldest.max_candidate_sequences(100), batch)?;
    let raw = Raw.per_sequence(|_, _| Ok(0.5_f32));
    let raw = Function::new(raw, |call| {
        let requests = call.requests();
        let sums = call.sequence_state.into_iter().zip(requests);
        let answers = sums.map(|(sum, request)| {
            *sum += request.array::<f32>("x")?.ok_or("no x")?.sum();
            Ok(array![[*sum]])
        });
        Ok(answers.collect::<Vec<_>>())
    });
    triton.bind(model("raw"), raw)?;
    let waiting = PerRequest.per_sequence(|_, _| Ok(0.25_f32));
    let waiting = Function::new_async(waiting, async |call| {
        tokio::task::yield_now().await;
        *call.sequence_state += call.array::<f32, Ix2>("x")?.sum();
        Ok(array![[*call.sequence_state]])
    });
    triton.bind(model("async"), waiting)?;
    let waiting = PerBatch.per_sequence(|_, _| Ok(0.75_f32));
    let waiting = Function::new_async(waiting, async |call| {
        tokio::task::yield_now().await;
        let x = call.array::<f32, Ix2>("x")?;
        let mut sums = call.sequence_state;
        sums.iter_mut().zip(&x).for_each(|(sum, x)| **sum += x);
        Ok(Array2::from_shape_fn((sums.len(), 1), |(row, _)| {
            *sums[row]
        }))
    });
    triton.bind(model("async_batch"), waiting)?;
    let waiting = Raw.per_sequence(|_, _| Ok(0.125_f32));
    let waiting = Function::new_async(waiting, async |call| {
        tokio::task::yield_now().await;
        let requests = call.requests();
        let sums = call.sequence_state.into_iter().zip(requests);
        let answers = sums.map(|(sum, request)| {
            *sum += request.array::<f32>("x")?.ok_or("no x")?.sum();
            Ok(array![[*sum]])
        });
        Ok(answers.collect::<Vec<_>>())
    });
    triton.bind(model("async_raw"), waiting)?;
    let both = PerRequest.stateful(|_| Ok(Cell::new(0.0625_f32)));
    let both = both.per_sequence(|first, _, _| Ok(first.get()));
    let both = Function::new_async(both, async |call| {
        tokio::task::yield_now().await;
        *call.sequence_state += call.array::<f32, Ix2>("x")?.sum();
        Ok(array![[*call.sequence_state]])
    });
    triton.bind(model("async_both"), both)?;
    let both = PerRequest.stateful(|_| Ok(Cell::new(0.0_f32)));
    let both = both.per_sequence(|started, _, _| {
        started.set(started.get() + 1.0);
        Ok(started.get())
    });
    let both = Function::new(both, |call| {
        Ok(array![[*call.sequence_state * 10.0 + call.state.get()]])
    });
    triton.bind(model("both"), both)?;
    let at = triton.run()?.http().ok_or("no HTTP")?;
    for (model, five, six) in [
        ("sample", 0.0, 0.0),
        ("batch", 5000.0, 6000.0),
        ("raw", 0.5, 0.5),
        ("async", 0.25, 0.25),
        ("async_batch", 0.75, 0.75),
        ("async_raw", 0.125, 0.125),
        ("async_both", 0.0625, 0.0625),
    ] {
        let ask = |id: Value, flags, x| ask(at, model, (id, flags), x);
        assert_eq!(ask(json!(5), "start", 1.0)?, json!(five + 1.0), "{model}");
        assert_eq!(ask(json!("6"), "start", 2.0)?, json!(six + 2.0), "{model}");
        assert_eq!(ask(json!(5), "", 10.0)?, json!(five + 11.0), "{model}");
        assert_eq!(ask(json!("6"), "end", 20.0)?, json!(six + 22.0), "{model}");
        assert_eq!(ask(json!(5), "start", 4.0)?, json!(five + 4.0), "{model}");
        assert_eq!(ask(json!(5), "end", 8.0)?, json!(five + 12.0), "{model}");
        assert!(ask(json!(7), "start end", 3.0)?.is_number(), "{model}");
    }
    for (id, flags, expected) in [
        (5, "start", 11.0),
        (6, "start", 22.0),
        (5, "", 12.0),
        (6, "end", 22.0),
        (5, "start", 33.0),
    ] {
        // The ordinal of the sequence, and the number of sequences that its instance has started.
        assert_eq!(ask(at, "both", (json!(id), flags), 0.0)?, json!(expected));
    }
    let failed = ask(at, "batch", (json!("seven"), "start"), 1.0)?;
    assert_eq!(failed, "model 'batch' failed: seven is no number");
    let lost = ask(at, "batch", (json!("seven"), ""), 1.0)?;
    let expected = "the state of sequence seven of model 'batch' is lost: it could not be created; start the sequence again";
    assert_eq!(lost, expected);
    Ok(())
}

#[test]
fn stateful_function_enables_sequence_batching() -> Result<()> {
    let state = PerRequest.per_sequence(|_, _| Ok(0.0_f32));
    let function = Function::new(state, |call| Ok(array![[*call.sequence_state]]));
    let spec = model("m").registration(&function)?.spec;
    let batching = spec.sequence_batching().ok_or("no sequences")?;
    assert_eq!(batching.sequences, Some(SequenceScheduling::Direct));
    let flawed = model("m")
        .max_queue_size(4)
        .step(pytriton::decorators::PadBatch);
    let Err(flaws) = flawed.registration(&function) else {
        return Err("it is none".into());
    };
    let text = flaws.to_string();
    assert!(
        text.contains("`max_queue_size`: this option belongs to dynamic batching"),
        "{text}"
    );
    assert!(text.contains("remove `step`"), "{text}");
    Ok(())
}

/// A state; the states are counted.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn states_of_idle_sequences_are_dropped() -> Result<()> {
    idle_sequences_drop_their_states(Engine::Embedded)?;
    idle_sequences_drop_their_states(Engine::Tritonserver)
}

fn idle_sequences_drop_their_states(engine: Engine) -> Result<()> {
    let triton = triton(engine)?;
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let state = PerRequest.per_sequence(move |_, _| Ok(Counted::new(&counted)));
    let function = Function::new(state, |call| {
        let x = call.array::<f32, Ix2>("x")?;
        assert_ne!(x[[0, 0]], -1.0, "asked to panic");
        Ok(x.into_owned())
    });
    let short = model("short").max_sequence_idle(Duration::from_secs(5));
    triton.bind(short, function)?;
    let at = triton.run()?.http().ok_or("no HTTP")?;
    let ask = |id: u64, flags, x| ask(at, "short", (json!(id), flags), x);
    let counts = |expected: usize| -> Result<()> {
        let begun = Instant::now();
        while count.load(Ordering::SeqCst) != expected {
            if begun.elapsed() > DEADLINE {
                return Err(format!("{engine:?}: {count:?}, not {expected}").into());
            }
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    };
    for id in 1..=4 {
        assert_eq!(ask(id, "start", 1.0)?, 1.0);
    }
    assert_eq!(count.load(Ordering::SeqCst), 4);
    assert_eq!(ask(1, "end", 2.0)?, 2.0);
    counts(3)?;
    assert_eq!(ask(2, "start", 3.0)?, 3.0);
    assert_eq!(count.load(Ordering::SeqCst), 3);
    let panicked = ask(3, "", -1.0)?.to_string();
    assert!(panicked.contains("asked to panic"), "{panicked}");
    counts(2)?;
    let lost = "the state of sequence 3 of model 'short' is lost: the function panicked; start the sequence again";
    assert_eq!(ask(3, "", 1.0)?, lost, "{engine:?}");
    // Without further requests, the states are dropped.
    counts(0)?;
    let unknown = ask(2, "", 1.0)?.to_string();
    assert!(unknown.contains("must specify the START flag"), "{unknown}");
    assert_eq!(ask(2, "start", 5.0)?, 5.0);
    triton.stop()?;
    drop(triton);
    counts(0)
}
