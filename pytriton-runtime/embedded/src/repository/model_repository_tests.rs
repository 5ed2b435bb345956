//! Adding and removing models, without a client.

use std::sync::Barrier;
use std::thread::sleep;
use std::time::Duration;

use ndarray::Array2;
use pytriton_core::call::{Call, Execution, Instance, ModelError};
use pytriton_core::model::CallOptions;
use pytriton_core::registry::{ModelDeclaration, ModelOptions};

use crate::testing::{GATE, IDENTITY, Identity, request};

use super::*;

static BOTH: Barrier = Barrier::new(2);

fn together() -> Box<dyn Instance> {
    BOTH.wait();
    Box::new(Identity)
}

#[tokio::test]
async fn models_are_loaded_in_parallel() {
    let first = ModelDeclaration {
        load: |_| Ok(together()),
        ..IDENTITY
    };
    let second = ModelDeclaration {
        options: ModelOptions {
            version: 2,
            ..first.options
        },
        ..first
    };
    let registry = Registry::new(&[&first, &second]).unwrap();
    let limits = Limits::default();
    let started = ModelRepository::start(&registry, &limits);
    let patience = Duration::from_secs(10);
    let models = tokio::time::timeout(patience, started).await.unwrap();
    assert!(models.unwrap().ready());
}

#[tokio::test]
async fn loads_and_unloads_do_not_mix_models() {
    let retained = ModelDeclaration {
        options: ModelOptions {
            call_options: CallOptions::DEFAULT.response_cache(true),
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    let zero = ModelDeclaration {
        load: |_| Ok(Box::new(Zero)),
        ..retained
    };
    let registry = Registry::new(&[&IDENTITY]).unwrap();
    let limits = Limits::default();
    let set = ModelRepository::start(&registry, &limits).await.unwrap();
    let set = Arc::new(set);
    let ask = async || {
        let model = set.model("Identity", None).unwrap();
        let response = model.infer(request(model.spec(), 1, 7.0)).await.unwrap();
        response.outputs[0].1.elements::<f32>().unwrap()[0]
    };
    let loaded = async |declaration: &ModelDeclaration| {
        let replaced = set.load(&declaration.registration().unwrap()).await;
        replaced.unwrap().unwrap()
    };
    assert_eq!(ask().await, 7.0);
    for (declaration, expected) in [(&retained, 7.0), (&zero, 0.0), (&retained, 7.0)] {
        let replaced = loaded(declaration).await;
        assert!(
            replaced
                .drain(Instant::now() + Duration::from_secs(5))
                .await
        );
        assert_eq!([ask().await, ask().await], [expected; 2]);
    }
    assert_eq!(set.cache().unwrap().entries, 3);
    assert!(set.unload("Identity", 2).await.is_none());
    assert!(set.unload("Identity", 1).await.is_some());
    assert!(set.model("Identity", None).is_err() && set.ready());
    set.stop_being_ready();
    let late = set
        .load(&retained.registration().unwrap())
        .await
        .unwrap_err();
    assert!(late.to_string().contains("stopping"), "{late}");
}

/// Two models, each with a call that waits for [`GATE`].
async fn busy() -> (Arc<ModelRepository>, Vec<tokio::task::JoinHandle<bool>>) {
    let other = ModelDeclaration {
        options: ModelOptions {
            name: "Other",
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    let registry = Registry::new(&[&IDENTITY, &other]).unwrap();
    let limits = Limits::default();
    let set = ModelRepository::start(&registry, &limits).await;
    let set = Arc::new(set.unwrap());
    let calls = set.models().into_iter().map(|model| {
        let request = request(model.spec(), 1, -5.0);
        tokio::spawn(async move { model.infer(request).await.is_ok() })
    });
    let calls = calls.collect();
    while set.models().iter().any(|model| model.load().running == 0) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    (set, calls)
}

#[tokio::test(flavor = "multi_thread")]
async fn drain_closes_all_models_before_it_waits() {
    let gate = GATE.lock().await;
    let (set, calls) = busy().await;
    let draining = tokio::spawn({
        let set = Arc::clone(&set);
        async move { set.drain(Instant::now() + Duration::from_secs(10)).await }
    });
    let refuses = |model: &Arc<Model>| {
        let request = request(model.spec(), 1, 1.0);
        let model = Arc::clone(model);
        let refused = async move { model.infer(request).await.is_err() };
        async {
            matches!(
                tokio::time::timeout(Duration::from_millis(20), refused).await,
                Ok(true)
            )
        }
    };
    for model in set.models() {
        let refused = async { while !refuses(&model).await {} };
        let refused = tokio::time::timeout(Duration::from_secs(5), refused).await;
        assert!(refused.is_ok(), "{} still accepts", model.spec().name);
    }
    assert!(!draining.is_finished());
    drop(gate);
    assert!(draining.await.unwrap());
    for call in calls {
        assert!(call.await.unwrap());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_unloaded_is_counted_until_it_has_ended() {
    let gate = GATE.lock().await;
    let (set, calls) = busy().await;
    let unloaded = set.unload("Identity", 1).await.unwrap();
    let replaced = set.load(&IDENTITY.registration().unwrap()).await.unwrap();
    assert!(replaced.is_none());
    let other = ModelDeclaration {
        options: ModelOptions {
            name: "Other",
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    let replaced = set.load(&other.registration().unwrap()).await.unwrap();
    let draining = set.loaded().draining.into_iter();
    let draining: Vec<_> = draining.map(|model| model.load().running).collect();
    assert_eq!(draining, [1, 1]);
    drop((gate, unloaded, replaced));
    for call in calls {
        assert!(call.await.unwrap());
    }
    while !set.loaded().draining.is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_model_is_draining_as_soon_as_it_no_longer_serves() {
    let registry = Registry::new(&[&IDENTITY]).unwrap();
    let set = ModelRepository::start(&registry, &Limits::default()).await;
    let set = set.unwrap();
    let removed = set.change(|models| models.remove("Identity")).unwrap();
    let loaded = set.loaded();
    assert!(!loaded.serves("Identity", 1));
    assert!(Arc::ptr_eq(&loaded.draining[0], &removed[&1]));
}

struct Zero;

impl Instance for Zero {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async { call.outputs(Array2::<f32>::zeros((1, 1))) })
    }
}

#[tokio::test]
async fn the_first_of_several_errors_is_reported() {
    fn failed(context: &pytriton_core::call::Context) -> ModelError {
        let model = context.model();
        ModelError::Load {
            model: Arc::clone(&model.name),
            instance: context.instance(),
            message: format!("version {}", model.version),
        }
    }
    let slow = ModelDeclaration {
        load: |context| {
            sleep(Duration::from_millis(50));
            Err(failed(context))
        },
        ..IDENTITY
    };
    let fast = ModelDeclaration {
        options: ModelOptions {
            version: 2,
            ..IDENTITY.options
        },
        load: |context| Err(failed(context)),
        ..IDENTITY
    };
    let registry = Registry::new(&[&slow, &fast]).unwrap();
    let error = ModelRepository::start(&registry, &Limits::default()).await;
    let text = error.unwrap_err().to_string();
    assert!(text.contains("version 1"), "{text}");
}
