//! Warm-up calls of each instance, on both engines.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pytriton::config::{SequenceScheduling, Warmup, WarmupInput};
use pytriton::ndarray::{Array2, Ix2};
use pytriton::runtime_models::{Function, PerBatch, PerRequest};
use pytriton_tests::Engine;
use serde_json::json;

use crate::http::{get, infer};
use crate::{Result, builder, model, triton};

const ENGINES: [Engine; 2] = [Engine::Embedded, Engine::Tritonserver];

/// The shapes and sums of all calls so far.
type Ledger = Arc<Mutex<Vec<(Vec<usize>, f32)>>>;

fn noting(ledger: &Ledger) -> Function {
    let ledger = Arc::clone(ledger);
    Function::new(PerBatch, move |call| {
        let x: Array2<f32> = call.array::<f32, Ix2>("x")?.into_owned();
        let mut ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
        ledger.push((x.shape().to_vec(), x.sum()));
        Ok(x * 2.0)
    })
}

#[test]
fn every_instance_is_warmed_up_before_its_first_request() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.raw");
    let values = [1.5, 2.25].map(f32::to_le_bytes).concat();
    std::fs::write(&path, values)?;
    for engine in ENGINES {
        let open = builder(engine)?.arguments(["--restricted-endpoints="]);
        let triton = open.build()?;
        let ledger = Ledger::default();
        let zero = Warmup::new("zero")
            .count(2)
            .input(WarmupInput::zero("x").dims([4]));
        let full = Warmup::new("full")
            .batch_size(8)
            .input(WarmupInput::random("x").dims([3]));
        let file = WarmupInput::file("x", path.to_string_lossy().into_owned()).dims([2]);
        let filed = Warmup::new("file").input(file);
        let warm = model("warm").instances(2);
        let warm = warm.warmup(zero).warmup(full).warmup(filed);
        triton.bind(warm, noting(&ledger))?;
        let at = triton.run()?.http().ok_or("no HTTP")?;
        let calls = ledger
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let shapes = |shape: [usize; 2]| calls.iter().filter(|(of, _)| *of == shape).count();
        assert_eq!(
            (calls.len(), shapes([1, 4]), shapes([8, 3]), shapes([1, 2])),
            (8, 4, 2, 2),
            "{engine:?}"
        );
        for (shape, sum) in calls {
            let fits = match shape[1] {
                4 => sum == 0.0,
                3 => sum != 0.0,
                _ => sum == 3.75,
            };
            assert!(fits, "{engine:?} {shape:?} {sum}");
        }
        assert_eq!(infer(at, "warm", &[&[1.0]])?, json!([2.0]));
        // A warm-up is not a request of a client.
        let statistics = get(at, "/v2/models/warm/stats")?.body;
        assert_eq!(
            statistics["model_stats"][0]["inference_count"], 1,
            "{engine:?}"
        );
    }
    Ok(())
}

/// A state; the number of live states and of all states is counted.
struct State(Arc<[AtomicUsize; 2]>);

impl State {
    fn new(counts: &Arc<[AtomicUsize; 2]>) -> Self {
        for count in counts.iter() {
            count.fetch_add(1, Ordering::SeqCst);
        }
        Self(Arc::clone(counts))
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.0[0].fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn sequences_and_streams_are_warmed_up_without_leftovers() -> Result<()> {
    for engine in ENGINES {
        let open = builder(engine)?.arguments(["--restricted-endpoints="]);
        let triton = open.build()?;
        let zero = |batch_size| {
            let warmup = Warmup::new("zero").batch_size(batch_size).count(2);
            warmup.input(WarmupInput::zero("x").dims([1]))
        };
        let states = Arc::new([const { AtomicUsize::new(0) }; 2]);
        let counted = Arc::clone(&states);
        let stateful = PerBatch.per_sequence(move |_, _| Ok(State::new(&counted)));
        let stateful = Function::new(stateful, |call| {
            let x = call.array::<f32, Ix2>("x")?.into_owned();
            assert_eq!(call.sequence_state.len(), x.nrows());
            Ok(x)
        });
        let sequences = model("sequences").sequence_batching(SequenceScheduling::Oldest);
        triton.bind(sequences.warmup(zero(3)), stateful)?;
        let items = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&items);
        let streamed = Function::new(PerRequest, move |call| {
            let x = call.array::<f32, Ix2>("x")?.into_owned();
            let counted = Arc::clone(&counted);
            Ok((0..5).map(move |_| {
                counted.fetch_add(1, Ordering::SeqCst);
                Ok(x.clone())
            }))
        });
        triton.bind(model("streams").warmup(zero(1)), streamed)?;
        let at = triton.run()?.http().ok_or("no HTTP")?;
        let [alive, made] = [0, 1].map(|count| states[count].load(Ordering::SeqCst));
        assert_eq!((alive, made), (0, 6), "{engine:?}");
        assert_eq!(items.load(Ordering::SeqCst), 10, "{engine:?}");
        for model in ["sequences", "streams"] {
            let statistics = get(at, &format!("/v2/models/{model}/stats"))?.body;
            assert_eq!(
                statistics["model_stats"][0]["execution_count"], 0,
                "{engine:?}"
            );
        }
    }
    Ok(())
}

#[test]
fn failed_warm_up_fails_the_start() -> Result<()> {
    for engine in ENGINES {
        let triton = triton(engine)?;
        let slow = model("slow").max_call(Duration::from_millis(100));
        let table = [
            (model("refuses"), -1.0, "its warm-up 'w' failed: it is cold"),
            (
                model("panics"),
                -2.0,
                "its warm-up 'w' failed: model 'panics' panicked: it is cold",
            ),
            (
                slow,
                -3.0,
                "its warm-up 'w' failed: model 'slow': the call took longer than 0.1 s",
            ),
        ];
        let folder = tempfile::tempdir()?;
        for (model, first, expected) in table {
            let path = folder.path().join(first.to_string());
            std::fs::write(&path, f32::to_le_bytes(first))?;
            let file = WarmupInput::file("x", path.to_string_lossy().into_owned()).dims([1]);
            let warm = model.warmup(Warmup::new("w").input(file));
            let function = Function::new(PerBatch, |call| {
                let x = call.array::<f32, Ix2>("x")?.into_owned();
                match x[[0, 0]] {
                    -1.0 => Err("it is cold".into()),
                    -2.0 => panic!("it is cold"),
                    -3.0 => {
                        std::thread::sleep(Duration::from_secs(2));
                        Ok(x)
                    }
                    _ => Ok(x),
                }
            });
            triton.bind(warm, function)?;
            let error = triton.run().unwrap_err().to_string();
            assert!(error.contains(expected), "{engine:?}: {error}");
            let name = triton.models()[0].name.to_string();
            triton.unbind(&name, 1)?;
        }
    }
    Ok(())
}

#[test]
fn errors_are_reported_together() -> Result<()> {
    let triton = triton(Engine::Embedded)?;
    let wrong = Warmup::new("w")
        .batch_size(9)
        .count(0)
        .input(WarmupInput::zero("y").dims([1]))
        .input(WarmupInput::zero("y").dims([1]));
    let open = Warmup::new("open").input(WarmupInput::random("x"));
    let model = model("m").warmup(wrong).warmup(open);
    let error = triton
        .bind(model, noting(&Ledger::default()))
        .unwrap_err()
        .to_string();
    for expected in [
        "warm-up `w`: `batch_size`: expected a number from 1 to `max_batch_size`",
        "warm-up `w`: `count`: expected a number from 1 to 2147483647",
        "warm-up `w`: the model has no input `y`",
        "warm-up `w`: input `y` is given twice: remove one",
        "warm-up `w`: input `x` is missing",
        "warm-up `open`: input `x`: the input has variable dims: specify them for the warm-up",
    ] {
        assert!(error.contains(expected), "{error}");
    }
    Ok(())
}
