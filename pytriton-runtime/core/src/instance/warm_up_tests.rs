use std::fs;
use std::time::Duration;

use ndarray::Ix2;
use parking_lot::{Mutex, MutexGuard};
use tokio::runtime::Runtime;

use crate::call::{Call, Execution, Instance};
use crate::error::ErrorKind;
use crate::model::{CallOptions, WarmupInput};
use crate::registry::{ModelDeclaration, ModelOptions};
use crate::testing::IDENTITY;

use super::*;

/// The rows of each call.
static CALLS: Mutex<Vec<Vec<f32>>> = Mutex::new(Vec::new());

fn calls() -> MutexGuard<'static, Vec<Vec<f32>>> {
    CALLS.lock()
}

/// Fails for -1, takes two seconds for -2, and reports a fatal error for -3.
struct Noting;

impl Instance for Noting {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let x = call.array::<f32, Ix2>(0)?.into_owned();
            calls().push(x.iter().copied().collect());
            match x[[0, 0]] {
                -1.0 => call.outputs(Err::<ndarray::Array2<f32>, _>("below zero")),
                -2.0 => {
                    std::thread::sleep(Duration::from_secs(2));
                    call.outputs(x)
                }
                -3.0 => Err(ModelError::Function {
                    model: "Identity".into(),
                    kind: ErrorKind::Unrecoverable,
                    message: "lost".to_owned(),
                    retry_after: None,
                }),
                _ => call.outputs(x),
            }
        })
    }
}

/// Returns the calls that a warm-up has made, and the error, if any.
fn warmed(warmup: Warmup) -> (Vec<Vec<f32>>, Option<String>) {
    let declaration = ModelDeclaration {
        options: ModelOptions {
            call_options: CallOptions {
                max_call_microseconds: 100_000,
                ..CallOptions::DEFAULT
            },
            ..IDENTITY.options
        },
        load: |_| Ok(Box::new(Noting)),
        ..IDENTITY
    };
    let mut model = declaration.registration().unwrap();
    Arc::make_mut(&mut model.spec).warmups.push(warmup);
    let runtime = Runtime::new().unwrap();
    let handle = runtime.handle().clone();
    let (outcome, failure) = mpsc::channel();
    let running = std::thread::spawn(move || {
        let context = Context::new(Arc::clone(&model.spec), 0);
        let instances = Instances::new(Arc::clone(&model.spec.name), |_| {});
        let _guard = instances.enter(0);
        let failed = {
            let outcome = outcome.clone();
            move |error: ModelError| drop(outcome.send(Some(error.to_string())))
        };
        if LoadedRunner::ready(&model, context, handle, &instances, failed).is_some() {
            drop(outcome.send(None));
        }
        assert!(!format!("{instances:?}").contains("broken: true"));
    });
    let failure = failure.recv_timeout(Duration::from_secs(1)).unwrap();
    let calls = std::mem::take(&mut *calls());
    running.join().unwrap();
    (calls, failure)
}

#[test]
fn an_instance_is_warmed_up_before_it_accepts_requests() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, values: &[f32]| {
        let path = folder.path().join(name);
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        fs::write(&path, bytes).unwrap();
        let path = path.to_string_lossy().into_owned();
        WarmupInput::file("INPUT_1", path).dims([2])
    };
    let of = |input| Warmup::new("w").input(input);
    let zero = of(WarmupInput::zero("INPUT_1").dims([2]));
    assert_eq!(warmed(zero), (vec![vec![0.0; 2]], None));

    let rows = of(file("rows", &[1.0, 2.0, 3.0, 4.0]))
        .batch_size(3)
        .count(2);
    let expected = vec![1.0, 2.0, 3.0, 4.0, 1.0, 2.0];
    assert_eq!(warmed(rows), (vec![expected.clone(), expected], None));

    let (calls, failure) = warmed(of(WarmupInput::random("INPUT_1").dims([4])).batch_size(2));
    assert_eq!((calls[0].len(), failure), (8, None));
    assert_ne!(calls[0][..4], calls[0][4..]);

    let failed = |message: &str| {
        Some(format!(
            "instance 0 of model 'Identity' could not be loaded: its warm-up 'w' failed: {message}"
        ))
    };
    let (calls, failure) = warmed(of(file("below", &[-1.0, 0.0])).count(3));
    assert_eq!((calls.len(), failure), (1, failed("below zero")));

    let (_, failure) = warmed(of(file("lost", &[-3.0, 0.0])));
    assert_eq!(failure, failed("lost"));

    let (_, failure) = warmed(of(file("slow", &[-2.0, 0.0])));
    let message = "model 'Identity': the call took longer than 0.1 s";
    assert_eq!(failure, failed(message));

    let odd = file("odd", &[1.0, 2.0, 3.0]);
    let path = folder.path().join("odd");
    let (calls, failure) = warmed(of(odd));
    let message = format!(
        "input 'INPUT_1' expects rows of 8 bytes, but {} has 12",
        path.display()
    );
    assert_eq!((calls.len(), failure), (0, failed(&message)));

    let (_, failure) = warmed(of(WarmupInput::file("INPUT_1", "/nowhere.npy")));
    let message = "cannot read /nowhere.npy: No such file or directory (os error 2)";
    assert_eq!(failure, failed(message));
}
