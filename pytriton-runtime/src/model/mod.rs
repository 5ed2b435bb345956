//! What is declared of a model: its tensors, its options, its steps. Pure: no I/O, no tasks, no functions.
//!
//! Constants of these types stand in the code that `#[pytriton::model]` writes; a [`ModelSpec`] is what becomes of them at
//! start, and owns all that it says.

mod batching;
mod call_mode;
mod declared;
mod device;
mod example;
mod instances;
mod location;
mod sequence_batching;
mod spec;
mod surface;
mod tensor;
mod versions;
mod warmup;

pub use batching::{DynamicBatching, Priorities, QueuePolicy, TimeoutAction};
pub use call_mode::{CallMode, FirstValue};
pub use declared::{Declared, InputType};
pub use device::Device;
pub use example::Example;
pub(crate) use example::example_flaw;
pub use instances::{InstanceGroup, InstanceGroups};
pub use location::Location;
pub use sequence_batching::{SequenceBatching, SequenceStrategy};
pub use spec::ModelSpec;
pub use surface::Surface;
pub(crate) use tensor::elements_flaw;
pub use tensor::{OutputOverride, TensorDeclaration, TensorSpec};
pub use versions::VersionPolicy;
pub(crate) use warmup::is_npy;
pub use warmup::{Warmup, WarmupData, WarmupDims, WarmupInput};
