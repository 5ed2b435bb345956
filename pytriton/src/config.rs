//! The description of a model: its tensors, instances, queues, versions and warm-up calls.
//!
//! [`Context::model`](crate::Context::model) returns the description of the model that is called.
//! It contains [`TensorSpec`], [`Batcher`] and [`BatcherOptions`]. The other types are also
//! arguments of [run-time models](crate::runtime_models). Fields may be added in any version, so
//! struct expressions do not compile. Use the constructors and setters:
//!
//! ```
//! use std::time::Duration;
//!
//! use pytriton::config::{InstanceGroup, QueuePolicy, TimeoutAction, Warmup, WarmupInput};
//!
//! let policy = QueuePolicy::default()
//!     .max_queue_size(64)
//!     .default_timeout(Duration::from_millis(500))
//!     .timeout_action(TimeoutAction::Delay);
//! let instances = [InstanceGroup::cpu(2), InstanceGroup::gpu(0)];
//! let warmup = Warmup::new("full").batch_size(16).input(WarmupInput::zero("x"));
//! # let _ = (policy, instances, warmup);
//! ```

pub use pytriton_runtime::model::{
    Batcher, BatcherOptions, Device, InstanceGroup, InstanceGroups, ModelSpec, QueuePolicy,
    SequenceScheduling, TensorSpec, TimeoutAction, VersionPolicy, Warmup, WarmupData, WarmupInput,
};
