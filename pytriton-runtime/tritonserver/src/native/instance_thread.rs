use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;

use parking_lot::Mutex;
use pytriton_backend::Failure;
use pytriton_backend::ffi::Instance;
use pytriton_core::call::{Context, ModelError};
use pytriton_core::instance::{Instances, LoadedRunner, MovableRunner};
use pytriton_core::model::{Device, ModelSpec};
use pytriton_core::registry::Registration;
use tokio::runtime::Handle;

use super::queue::Queue;

/// The thread on which an instance runs.
#[derive(Debug)]
pub(super) enum InstanceThread {
    /// The calling thread of tritonserver, one at a time.
    Caller(Mutex<MovableRunner>, Arc<Instances>),
    /// Its own thread.
    Dedicated(Arc<Queue>),
}

impl InstanceThread {
    /// Loads an instance.
    ///
    /// It stays on its own thread if its state requires that, or if it takes several batches at a
    /// time.
    pub(super) fn load(
        model: &Registration,
        instance: &Instance,
        runtime: Handle,
    ) -> Result<Self, Failure> {
        let spec = &model.spec;
        let in_flight = spec.call_options.batches_in_flight as usize;
        // If an instance can stall, the others take the batches that tritonserver assigns to it.
        // Sequences are the exception: their state belongs to one instance.
        let shared = (in_flight > 1 || spec.call_options.call_limit().is_some())
            && spec.sequence_batching().is_none();
        let queue = match shared {
            false => Queue::new(spec),
            true => Queue::shared(spec, instance.loaded_model),
        };
        let receiver = Arc::clone(&queue.receiver);
        let instances = Arc::clone(&queue.instances);
        let number = number(spec, &instance.name);
        let device = instance.gpu.map_or(Device::Cpu, Device::Gpu);
        let context = Context::new(Arc::clone(spec), number).on(device);
        let (loaded, result) = sync_channel(1);
        let limited = spec.call_options.call_limit().is_some();
        let thread = thread::Builder::new().name(format!("{}_{number}", spec.name));
        let model = model.clone();
        let spawned = thread.spawn(move || {
            let _guard = instances.enter(number);
            let failed = {
                let loaded = loaded.clone();
                // The receiver is waiting, or already has a result.
                move |error: ModelError| {
                    drop(loaded.try_send(Err(Failure::internal(error.to_string()))))
                }
            };
            let runner = LoadedRunner::ready(&model, context, runtime, &instances, failed);
            let Some(runner) = runner else {
                return;
            };
            match runner {
                // A thread of tritonserver must not be held by a call that may exceed its limit.
                LoadedRunner::Movable(runner) if in_flight == 1 && !limited => {
                    drop(loaded.send(Ok(Some(runner))));
                }
                runner => {
                    let runner = runner.into_local();
                    if loaded.send(Ok(None)).is_ok() {
                        receiver.serve(&runner, in_flight);
                    }
                }
            }
        });
        spawned.map_err(|error| Failure::internal(error.to_string()))?;
        let ended = |_| Failure::internal("the instance's thread has exited");
        Ok(match result.recv().map_err(ended)?? {
            Some(runner) => Self::Caller(Mutex::new(runner), Arc::clone(&queue.instances)),
            None => Self::Dedicated(queue),
        })
    }

    /// Returns the instances of the model.
    pub(super) fn instances(&self) -> &Arc<Instances> {
        match self {
            Self::Caller(_, instances) => instances,
            Self::Dedicated(queue) => &queue.instances,
        }
    }
}

/// Returns the number of the instance within its model. Triton names the groups of a model
/// `<model>_0`, `<model>_1` and so on, and the instances of a group `<group>_0`, `<group>_1`.
fn number(spec: &ModelSpec, name: &str) -> u32 {
    let (group, number) = name.rsplit_once('_').unwrap_or_default();
    let group = group.strip_prefix(&*spec.name);
    let group = group.and_then(|group| group.strip_prefix('_')?.parse().ok());
    let before = spec.instances.groups().iter().take(group.unwrap_or(0));
    let before = before.map(|group| group.count).fold(0, u32::saturating_add);
    before.saturating_add(number.parse().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use pytriton_core::model::InstanceGroup;
    use pytriton_core::registry::{ModelDeclaration, ModelOptions};
    use pytriton_core::testing::IDENTITY;

    use super::*;

    #[test]
    fn instance_numbers_continue_across_groups() {
        const DECLARATION: ModelDeclaration = ModelDeclaration {
            options: ModelOptions {
                name: "net_2",
                instances: &[
                    InstanceGroup::cpu(3),
                    InstanceGroup::gpu(1),
                    InstanceGroup::gpu(0),
                ],
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        let spec = DECLARATION.spec().unwrap();
        let table = [
            ("net_2_0_0", 0),
            ("net_2_0_2", 2),
            ("net_2_1_0", 3),
            ("net_2_2_0", 4),
            ("a group of the user's_1", 1),
        ];
        for (name, expected) in table {
            assert_eq!(number(&spec, name), expected, "{name}");
        }
    }
}
