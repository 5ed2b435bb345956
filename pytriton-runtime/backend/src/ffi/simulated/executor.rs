use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use crate::failure::Failure;
use crate::ffi::batch::Batch;
use crate::ffi::executor::Executor;
use crate::instance::Instance;

use super::Simulated;

/// An executor that passes its batches to the test.
pub(crate) struct BatchForwarder {
    batches: Mutex<Sender<Batch>>,
    ready: Arc<AtomicBool>,
}

/// Returns an instance, its batches, and the flag for its readiness.
pub(crate) fn forwarding_instance(
    loaded_model: usize,
) -> (Simulated<BatchForwarder>, Receiver<Batch>, Arc<AtomicBool>) {
    let (batches, kept) = channel();
    let ready = Arc::new(AtomicBool::new(true));
    let executor = BatchForwarder {
        batches: Mutex::new(batches),
        ready: Arc::clone(&ready),
    };
    let instance = Instance {
        model: "m".to_owned(),
        version: 1,
        loaded_model,
        name: String::new(),
        gpu: None,
    };
    (Simulated::new(executor, &instance), kept, ready)
}

impl Executor for BatchForwarder {
    fn start(_: &Instance) -> Result<Self, Failure> {
        Err(Failure::internal("the test starts it"))
    }

    fn execute(&self, batch: Batch) {
        self.batches.lock().unwrap().send(batch).unwrap();
    }

    fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Relaxed)
    }
}
