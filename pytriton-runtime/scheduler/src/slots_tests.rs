use std::panic::panic_any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ndarray::Ix2;
use parking_lot::Mutex;
use pytriton_core::call::{Call, Context, Execution, Instance, LoadedInstance, Sequences};
use pytriton_core::instance::{Availability, Instances, LoadedRunner, MovableRunner};
use pytriton_core::model::CallOptions;
use pytriton_core::registry::{ModelDeclaration, ModelOptions, Registration};
use pytriton_core::testing::{IDENTITY, TWO, request};
use tokio::runtime::{Handle, Runtime};

use super::slots::InstanceSlots;

/// Returns its input. Once it is broken, it panics outside its function.
struct Fragile {
    number: u32,
    dropped: Arc<Mutex<Vec<u32>>>,
    broken: Arc<AtomicBool>,
}

impl Instance for Fragile {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            // The tests run on plain threads, so the instance must have entered its runtime.
            assert!(Handle::try_current().is_ok());
            let x = call.array::<f32, Ix2>(0)?.into_owned();
            call.outputs(x)
        })
    }

    fn sequences(&self) -> Option<Sequences<'_>> {
        assert!(!self.broken.load(Ordering::SeqCst), "outside of the call");
        None
    }
}

impl Drop for Fragile {
    fn drop(&mut self) {
        self.dropped.lock().push(self.number);
        if self.broken.load(Ordering::SeqCst) {
            panic_any("in the destructor");
        }
    }
}

struct Model {
    registration: Registration,
    instances: Arc<Instances>,
    slots: InstanceSlots,
    dropped: Arc<Mutex<Vec<u32>>>,
    broken: Arc<AtomicBool>,
    runtime: Runtime,
}

impl Model {
    fn new() -> Self {
        let declaration = ModelDeclaration {
            options: ModelOptions {
                call_options: CallOptions::DEFAULT.inline(true),
                instances: TWO,
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        let dropped: Arc<Mutex<Vec<u32>>> = Arc::default();
        let broken: Arc<AtomicBool> = Arc::default();
        let mut registration = declaration.registration().unwrap();
        registration.load = Arc::new({
            let (dropped, broken) = (Arc::clone(&dropped), Arc::clone(&broken));
            move |context| {
                let fragile = Fragile {
                    number: context.instance(),
                    dropped: Arc::clone(&dropped),
                    broken: Arc::clone(&broken),
                };
                Ok(LoadedInstance::Movable(Box::new(fragile)))
            }
        });
        Self {
            instances: Instances::new("Identity".into(), |_| {}),
            slots: InstanceSlots::new(2),
            registration,
            dropped,
            broken,
            runtime: Runtime::new().unwrap(),
        }
    }

    fn runner(&self, number: u32) -> MovableRunner {
        let context = Context::new(Arc::clone(&self.registration.spec), number);
        let runtime = self.runtime.handle().clone();
        let failed = |error| panic!("{error}");
        let loaded = LoadedRunner::ready(
            &self.registration,
            context,
            runtime,
            &self.instances,
            failed,
        );
        match loaded.unwrap() {
            LoadedRunner::Movable(runner) => runner,
            LoadedRunner::Local(_) => panic!("it is movable"),
        }
    }
}

#[test]
fn an_instance_is_used_by_one_thread_at_a_time() {
    let model = Model::new();
    let slots = &model.slots;
    assert!(slots.try_acquire(0).is_none());
    let zero = slots.occupy(0, model.runner(0), model.instances.enter(0));
    let one = slots.occupy(1, model.runner(1), model.instances.enter(1));
    assert!(
        slots
            .occupy(2, model.runner(2), model.instances.enter(2))
            .is_none()
    );
    model.dropped.lock().clear();
    let permits = [slots.try_acquire(1).unwrap(), slots.try_acquire(1).unwrap()];
    thread::scope(|scope| {
        let other = scope.spawn(|| slots.try_acquire(0).is_none());
        assert!(other.join().unwrap());
    });
    let requests = [request(&model.registration.spec, 1, 1.0)];
    for permit in permits {
        assert!(permit.execute(&requests).unwrap().results[0].is_ok());
    }
    let permit = slots.try_acquire(0).unwrap();
    thread::scope(|scope| {
        let (gone, waiting) = mpsc::channel();
        scope.spawn(move || {
            drop(zero);
            gone.send(()).unwrap();
        });
        // It waits for the call.
        let early = waiting.recv_timeout(Duration::from_millis(50));
        assert!(early.is_err() && model.dropped.lock().is_empty());
        drop(permit);
        waiting.recv_timeout(Duration::from_secs(10)).unwrap();
    });
    assert_eq!(*model.dropped.lock(), [0]);
    assert!(slots.try_acquire(0).is_some());
    drop(one);
    assert!(slots.try_acquire(0).is_none());
    assert_eq!(model.instances.availability(), Availability::Gone);
}

#[test]
fn an_instance_that_panics_outside_of_its_function_ends() {
    let model = Model::new();
    let slots = &model.slots;
    let _occupied = [0, 1]
        .map(|number| slots.occupy(number, model.runner(number), model.instances.enter(number)));
    let requests = [request(&model.registration.spec, 1, 1.0)];
    let execute = |first| slots.try_acquire(first).unwrap().execute(&requests);
    assert!(execute(0).is_some());
    model.broken.store(true, Ordering::SeqCst);
    assert!(execute(0).is_none());
    model.broken.store(false, Ordering::SeqCst);
    assert_eq!(*model.dropped.lock(), [0]);
    // The other instance is unaffected.
    assert_eq!(model.instances.availability(), Availability::Ready);
    assert!(execute(0).is_some());
    model.broken.store(true, Ordering::SeqCst);
    assert!(execute(0).is_none());
    assert_eq!(*model.dropped.lock(), [0, 1]);
    assert_eq!(model.instances.availability(), Availability::Gone);
    assert!(slots.try_acquire(0).is_none());
}
