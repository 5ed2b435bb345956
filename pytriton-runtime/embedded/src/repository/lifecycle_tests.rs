use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use ndarray::Array2;
use parking_lot::Mutex;
use pytriton_core::call::{Call, Context, Execution, Instance, ModelError};
use pytriton_core::model::VersionPolicy;
use pytriton_core::registry::{ModelDeclaration, ModelOptions, Registration, Registry};
use pytriton_engine::Limits;
use pytriton_engine::options::{ControlMode, ControlOptions};
use tokio::time::timeout;

use crate::testing::{GATE, IDENTITY, Identity, request};

use super::{ControlError, Model, ModelRepository};

/// Returns the number of the load that created the instance.
struct Numbered(u32, &'static AtomicU32);

impl Instance for Numbered {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        let number = Array2::from_elem((1, 1), self.0 as f32);
        match call.array::<f32, ndarray::Ix2>(0) {
            Ok(x) if x.first() == Some(&-5.0) => drop(GATE.blocking_lock()),
            _ => {}
        }
        Box::pin(async move { call.outputs(number) })
    }
}

impl Drop for Numbered {
    fn drop(&mut self) {
        self.1.fetch_add(1, Ordering::SeqCst);
    }
}

fn failed(context: &Context, message: &str) -> ModelError {
    ModelError::Load {
        model: Arc::clone(&context.model().name),
        instance: context.instance(),
        message: message.to_owned(),
    }
}

async fn started(models: &[&ModelDeclaration], control: ControlOptions) -> Arc<ModelRepository> {
    let registry = Registry::new(models).unwrap();
    let set = ModelRepository::controlled(&registry, &Limits::default(), control).await;
    Arc::new(set.unwrap())
}

fn explicit(load: &[&str]) -> ControlOptions {
    ControlOptions {
        model_control_mode: ControlMode::Explicit,
        load_model: load.iter().map(|&name| name.to_owned()).collect(),
        ..ControlOptions::default()
    }
}

fn as_it_is(model: Registration, _: Option<&VersionPolicy>) -> Result<Registration, String> {
    Ok(model)
}

/// Returns the index in one line.
fn index(set: &ModelRepository) -> String {
    let entries = set.index(false);
    let entries = entries.iter().map(|entry| match &entry.version {
        None => entry.name.to_string(),
        Some(version) => format!(
            "{}/{} {} {}",
            entry.name, version.number, version.state, version.reason
        ),
    });
    entries.collect::<Vec<_>>().join("; ")
}

async fn ask(set: &ModelRepository, value: f32) -> f32 {
    response(set.model("Identity", None).unwrap(), value).await
}

async fn response(model: Arc<Model>, value: f32) -> f32 {
    let response = model.infer(request(model.spec(), 1, value)).await.unwrap();
    response.outputs[0].1.elements::<f32>().unwrap()[0]
}

async fn until(condition: impl Fn() -> bool) {
    let met = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(Duration::from_secs(10), met).await.unwrap();
}

#[tokio::test]
async fn loads_require_explicit_model_control() {
    for mode in [ControlMode::None, ControlMode::Poll] {
        let control = ControlOptions {
            model_control_mode: mode,
            ..ControlOptions::default()
        };
        let set = started(&[&IDENTITY], control).await;
        for name in ["Identity", "Nope"] {
            let refused = Err(ControlError::NotExplicit);
            assert_eq!(set.load_named(name, 0, as_it_is).await, refused);
            assert_eq!(set.unload_named(name), refused);
        }
        assert_eq!(index(&set), "Identity/1 READY ");
    }
}

#[tokio::test]
async fn a_model_is_loaded_and_unloaded_on_request() {
    let set = started(&[&IDENTITY], explicit(&[])).await;
    assert_eq!(index(&set), "Identity");
    assert!(set.ready() && set.model("Identity", None).is_err());
    assert_eq!(set.unload_named("Identity"), Ok(()));
    assert_eq!(index(&set), "Identity");
    assert_eq!(set.load_named("Identity", 0, as_it_is).await, Ok(()));
    assert_eq!(index(&set), "Identity/1 READY ");
    assert_eq!(ask(&set, 3.0).await, 3.0);
    for _ in 0..2 {
        assert_eq!(set.unload_named("Identity"), Ok(()));
    }
    assert_eq!(set.unload_named("Nope"), Ok(()));
    until(|| index(&set) == "Identity/1 UNAVAILABLE unloaded").await;
    assert!(set.ready() && set.index(true).is_empty());
    let unknown = set.load_named("Nope", 0, as_it_is).await.unwrap_err();
    let text = "failed to load 'Nope', failed to poll from model repository";
    assert_eq!(unknown.to_string(), text);
    set.stop_being_ready();
    assert_eq!(
        set.load_named("Identity", 0, as_it_is).await,
        Err(ControlError::Stopping)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn replaced_instance_completes_its_requests() {
    static LOADS: AtomicU32 = AtomicU32::new(0);
    static DROPS: AtomicU32 = AtomicU32::new(0);
    let numbered = ModelDeclaration {
        load: |_| {
            let load = LOADS.fetch_add(1, Ordering::SeqCst);
            Ok(Box::new(Numbered(load, &DROPS)))
        },
        options: ModelOptions {
            // The second request waits for the first and is not batched with it.
            max_batch_size: 1,
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    let set = started(&[&numbered], explicit(&["*"])).await;
    let gate = GATE.lock().await;
    let held = || tokio::spawn(response(set.model("Identity", None).unwrap(), -5.0));
    let (old, waiting) = (held(), held());
    let pending = || set.model("Identity", None).unwrap().totals().pending;
    until(|| pending() == 1).await;
    assert_eq!(set.load_named("Identity", 0, as_it_is).await, Ok(()));
    assert_eq!(ask(&set, 1.0).await, 1.0);
    assert_eq!(
        set.model("Identity", None).unwrap().totals().success.count,
        1
    );
    let new = held();
    assert_eq!(set.unload_named("Identity"), Ok(()));
    assert_eq!(index(&set), "Identity/1 UNLOADING ");
    assert!(!set.ready() && set.model("Identity", None).is_err());
    assert_eq!(DROPS.load(Ordering::SeqCst), 0);
    assert_eq!(set.load_named("Identity", 0, as_it_is).await, Ok(()));
    assert_eq!(index(&set), "Identity/1 READY ");
    drop(gate);
    assert_eq!((old.await.unwrap(), waiting.await.unwrap()), (0.0, 0.0));
    assert_eq!(new.await.unwrap(), 1.0);
    until(|| DROPS.load(Ordering::SeqCst) == 2).await;
    assert_eq!(ask(&set, 1.0).await, 2.0);
    assert_eq!(index(&set), "Identity/1 READY ");
}

#[tokio::test]
async fn failed_load_keeps_the_served_model() {
    static FAIL: AtomicBool = AtomicBool::new(true);
    let moody = ModelDeclaration {
        load: |context| match FAIL.load(Ordering::SeqCst) {
            true => Err(failed(context, "no weights")),
            false => Ok(Box::new(Identity)),
        },
        ..IDENTITY
    };
    let second = ModelDeclaration {
        options: ModelOptions {
            version: 2,
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    let set = started(&[&moody, &second], explicit(&[])).await;
    let text = "load failed for model 'Identity': version 1 is at UNAVAILABLE state: Internal: instance 0 of model 'Identity' \
                could not be loaded: no weights;\n";
    let error = set.load_named("Identity", 0, as_it_is).await.unwrap_err();
    assert_eq!(error.to_string(), text);
    let reason = "Internal: instance 0 of model 'Identity' could not be loaded: no weights";
    let first = format!("Identity/1 UNAVAILABLE {reason}; Identity/2 UNAVAILABLE unloaded");
    assert_eq!(index(&set), first);
    assert!(!set.ready());
    assert_eq!(set.unload_named("Identity"), Ok(()));
    assert!(!set.ready(), "unloading does not heal it");
    FAIL.store(false, Ordering::SeqCst);
    assert_eq!(set.load_named("Identity", 0, as_it_is).await, Ok(()));
    assert!(set.ready());
    FAIL.store(true, Ordering::SeqCst);
    let error = set.load_named("Identity", 0, as_it_is).await.unwrap_err();
    assert_eq!(error.to_string(), text);
    assert_eq!(index(&set), "Identity/1 READY ; Identity/2 READY ");
    assert!(set.ready());
    assert_eq!(ask(&set, 4.0).await, 4.0);
}

#[tokio::test]
async fn failed_model_does_not_stop_a_tolerant_server() {
    let broken = ModelDeclaration {
        options: ModelOptions {
            name: "Broken",
            ..IDENTITY.options
        },
        load: |context| Err(failed(context, "no weights")),
        ..IDENTITY
    };
    for strict_readiness in [true, false] {
        let control = ControlOptions {
            exit_on_error: false,
            strict_readiness,
            ..ControlOptions::default()
        };
        let set = started(&[&IDENTITY, &broken], control).await;
        assert_eq!(set.ready(), !strict_readiness);
        let index = index(&set);
        assert!(
            index.starts_with("Broken/1 UNAVAILABLE Internal: "),
            "{index}"
        );
        assert!(index.ends_with("; Identity/1 READY "), "{index}");
        set.stop_being_ready();
        assert!(!set.ready());
    }
}

#[tokio::test]
async fn loads_run_in_parallel_and_are_retried() {
    static NOW: AtomicU32 = AtomicU32::new(0);
    static MOST_LOADED: AtomicU32 = AtomicU32::new(0);
    static TRIES: AtomicU32 = AtomicU32::new(0);
    let slow = ModelDeclaration {
        load: |_| {
            MOST_LOADED.fetch_max(NOW.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(5));
            NOW.fetch_sub(1, Ordering::SeqCst);
            Ok(Box::new(Identity))
        },
        ..IDENTITY
    };
    let names = ["A", "B", "C", "D", "E"];
    let models = names.map(|name| ModelDeclaration {
        options: ModelOptions {
            name,
            ..slow.options
        },
        ..slow
    });
    let models: Vec<_> = models.iter().collect();
    for threads in [1, 3] {
        MOST_LOADED.store(0, Ordering::SeqCst);
        let control = ControlOptions {
            model_load_thread_count: threads,
            ..ControlOptions::default()
        };
        started(&models, control).await;
        assert_eq!(MOST_LOADED.load(Ordering::SeqCst), threads);
    }
    let third = ModelDeclaration {
        load: |context| match TRIES.fetch_add(1, Ordering::SeqCst) {
            0 | 1 => Err(failed(context, "not yet")),
            _ => Ok(Box::new(Identity)),
        },
        ..IDENTITY
    };
    let control = ControlOptions {
        model_load_retry_count: 2,
        ..ControlOptions::default()
    };
    assert!(started(&[&third], control).await.ready());
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_does_not_wait_for_loads() {
    static HELD: Mutex<()> = Mutex::new(());
    static LOADS: AtomicU32 = AtomicU32::new(0);
    let slow = ModelDeclaration {
        load: |_| {
            LOADS.fetch_add(1, Ordering::SeqCst);
            drop(HELD.lock());
            Ok(Box::new(Identity))
        },
        ..IDENTITY
    };
    let set = started(&[&slow], explicit(&[])).await;
    let loading = {
        let set = Arc::clone(&set);
        async move { set.load_named("Identity", 0, as_it_is).await }
    };
    let held = HELD.lock();
    let loading = tokio::spawn(loading);
    while LOADS.load(Ordering::SeqCst) == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    set.stop_being_ready();
    let begun = Instant::now();
    while !loading.is_finished() && begun.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let is_finished = loading.is_finished();
    drop(held);
    assert!(is_finished);
    assert_eq!(loading.await.unwrap(), Err(ControlError::Stopping));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hanging_load_does_not_block_unloading() {
    static HELD: Mutex<()> = Mutex::new(());
    static LOADS: AtomicU32 = AtomicU32::new(0);
    static DROPS: AtomicU32 = AtomicU32::new(0);
    let hanging = ModelDeclaration {
        load: |_| {
            let load = LOADS.fetch_add(1, Ordering::SeqCst);
            if load == 1 {
                drop(HELD.lock());
            }
            Ok(Box::new(Numbered(load, &DROPS)))
        },
        ..IDENTITY
    };
    let text = "failed to load 'Identity', no version is available";
    for is_bound_anew in [false, true] {
        LOADS.store(0, Ordering::SeqCst);
        let one_at_a_time = ControlOptions {
            model_load_thread_count: 1,
            ..explicit(&["*"])
        };
        let set = started(&[&hanging], one_at_a_time).await;
        let load = || {
            let set = Arc::clone(&set);
            tokio::spawn(async move { set.load_named("Identity", 0, as_it_is).await })
        };
        let (ready, held) = std::sync::mpsc::channel();
        let (release, released) = std::sync::mpsc::channel::<()>();
        let holder = std::thread::spawn(move || {
            let _held = HELD.lock();
            ready.send(()).unwrap();
            let _ = released.recv();
        });
        held.recv().unwrap();
        let first = load();
        until(|| LOADS.load(Ordering::SeqCst) == 2).await;
        let expected = match is_bound_anew {
            true => {
                drop(set.unload("Identity", 1).await);
                let registration = hanging.registration().unwrap();
                drop(set.load(&registration).await.unwrap());
                2.0
            }
            false => {
                // A second load waits for the first, until the unload cancels both.
                let mut second = set.catalog().ask("Identity").unwrap();
                let turn = timeout(Duration::from_millis(20), second.turn());
                assert!(turn.await.is_err());
                assert_eq!(set.unload_named("Identity"), Ok(()));
                second.cancelled().await;
                until(|| index(&set) == "Identity/1 UNAVAILABLE unloaded").await;
                0.0
            }
        };
        let error = first.await.unwrap().unwrap_err();
        assert_eq!(error.to_string(), text);
        if !is_bound_anew {
            // The stalled load does not block other ones.
            let patience = Duration::from_secs(10);
            let again = timeout(patience, set.load_named("Identity", 0, as_it_is)).await;
            assert_eq!(again.unwrap(), Ok(()));
            assert_eq!(ask(&set, 1.0).await, 2.0);
            assert_eq!(set.unload_named("Identity"), Ok(()));
        }
        release.send(()).unwrap();
        holder.join().unwrap();
        match is_bound_anew {
            true => assert_eq!(ask(&set, 1.0).await, expected),
            false => assert!(set.model("Identity", None).is_err()),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn loads_of_one_model_run_in_turn_and_only_unloads_cancel_them() {
    for unloads in [false, true] {
        let set = started(&[&IDENTITY], explicit(&[])).await;
        let clients = (0..32).map(|_| {
            let set = Arc::clone(&set);
            tokio::spawn(async move {
                for _ in 0..8 {
                    match set.load_named("Identity", 0, as_it_is).await {
                        Err(ControlError::Unloaded { .. }) if unloads => {}
                        loaded => assert_eq!(loaded, Ok(())),
                    }
                    if unloads {
                        assert_eq!(set.unload_named("Identity"), Ok(()));
                    }
                }
            })
        });
        for client in clients.collect::<Vec<_>>() {
            client.await.unwrap();
        }
        assert_eq!(set.load_named("Identity", 0, as_it_is).await, Ok(()));
        assert_eq!(ask(&set, 3.0).await, 3.0);
    }
}

#[tokio::test]
async fn configuration_changes_last_until_the_next_load() {
    let set = started(&[&IDENTITY], explicit(&[])).await;
    for size in [2, 3] {
        let change = move |mut model: Registration, _: Option<&VersionPolicy>| {
            assert_eq!(model.spec.max_batch_size, IDENTITY.options.max_batch_size);
            Arc::make_mut(&mut model.spec).max_batch_size = size;
            Ok(model)
        };
        assert_eq!(set.load_named("Identity", 0, change).await, Ok(()));
        let model = set.model("Identity", None).unwrap();
        assert_eq!(model.spec().max_batch_size, size);
    }
}
