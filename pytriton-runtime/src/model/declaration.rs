use crate::tensor::DataType;

use super::Loader;

/// A model as `#[pytriton::model]` writes it down: const, so that `inventory` can collect it.
#[derive(Debug)]
pub struct ModelDeclaration {
    /// The model's name in URLs and requests.
    pub name: &'static str,
    /// The model's version, from 1.
    pub version: u32,
    /// The largest batch; 0 for a model whose tensors have no batch axis.
    pub max_batch_size: u32,
    /// How many instances of the model run in parallel.
    pub instances: u32,
    /// How many batches an instance has at a time; an `async` function runs them side by side.
    pub batches_in_flight: u32,
    /// How long a call of the function may take, in microseconds; 0 for any time.
    pub max_call_microseconds: u64,
    /// The inputs, in the order of the function's parameters.
    pub inputs: &'static [TensorDeclaration],
    /// The outputs, as the function's return type declares them.
    pub outputs: &'static [TensorDeclaration],
    /// Names and dims that `#[output]` gives to the outputs, in their order; empty for none.
    pub output_overrides: &'static [OutputOverride],
    /// How requests are gathered; `None` sends each request alone.
    pub dynamic_batching: Option<DynamicBatching>,
    /// Whether requests of the same inputs may be answered with one response.
    pub response_cache: bool,
    /// Names and values of whatever the model's configuration is to say besides.
    pub parameters: &'static [(&'static str, &'static str)],
    /// What one call of the function sees.
    pub call: CallMode,
    /// What happens to a batch before the function is called, in order.
    pub steps: &'static [Step],
    /// Makes the function, or the state it is called on, once for each instance.
    pub load: Loader,
    /// Where the model stands in the user's source.
    pub location: Location,
}

inventory::collect!(ModelDeclaration);

/// An input or output as a Rust type declares it.
#[derive(Debug, Clone, Copy)]
pub struct TensorDeclaration {
    /// The tensor's name in requests.
    pub name: &'static str,
    /// The element type.
    pub datatype: DataType,
    /// The number of dimensions of the Rust array with the batch axis; `None` for arrays of any rank.
    pub rank: Option<usize>,
    /// The dims without the batch axis, -1 for any size; `None` leaves them to the rank.
    pub shape: Option<&'static [i64]>,
    /// Whether a request may leave the tensor out.
    pub optional: bool,
}

impl TensorDeclaration {
    /// What keeps a tensor of these dims out of a model, with what to write instead.
    ///
    /// Generated code asks at compile time, the registry asks again at start. Triton wants at least one dimension
    /// beside the batch axis.
    pub(super) const fn flaw(&self, batching: bool) -> Option<&'static str> {
        let batch_axis = if batching { 1 } else { 0 };
        match (self.rank, self.shape) {
            (Some(rank), _) if rank <= batch_axis => Some(match batching {
                true => {
                    "axis 0 is the batch, and the array has no other: write an array of one more dimension, such as `Array2<f32>`, or `batching = false`"
                }
                false => "the array has no dimension: write `Array1<f32>`",
            }),
            (None, None) => Some(
                "the array can have any dims: write them as `#[output(shape = [-1])]`, or `#[input(shape = [-1])]`",
            ),
            (_, Some([])) => Some("`shape` has no dimension: write `shape = [-1]`"),
            (Some(rank), Some(shape)) if shape.len() + batch_axis != rank => Some(match batching {
                true => {
                    "`shape` must have one number for each dimension of the array but the batch axis, which does not count"
                }
                false => "`shape` must have one number for each dimension of the array",
            }),
            _ => None,
        }
    }
}

/// What `#[output]` on a function says about one output.
#[derive(Debug, Clone, Copy)]
pub struct OutputOverride {
    /// Another name.
    pub name: Option<&'static str>,
    /// The dims without the batch axis.
    pub shape: Option<&'static [i64]>,
}

/// What one call of a function sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallMode {
    /// The whole batch, stacked along axis 0 (`#[batch]`).
    Batch,
    /// One request (no helper attribute, or `#[sample]`).
    Request,
    /// The requests of the batch as they are (`&[Request]`).
    Raw,
}

/// One step between a batch of requests and the function's arguments.
///
/// The macro writes the steps of a model in this order and refuses any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// One call for each run of requests with the same parameters, for functions that take `&Parameters`.
    GroupByParameters,
    /// Input `input` becomes its first row, or a scalar when the function takes one (`#[first_value]`).
    FirstValue {
        /// The index of the input.
        input: usize,
        /// Whether rows that differ are an error.
        strict: bool,
    },
}

/// Triton's dynamic batcher.
///
/// Source: `ModelDynamicBatching` in Triton's `model_config.proto`.
#[derive(Debug, Clone, Copy)]
pub struct DynamicBatching {
    /// Batch sizes that are sent at once when they are reached; empty for the maximum alone.
    pub preferred_batch_size: &'static [u32],
    /// How long the oldest request may wait for company, in microseconds.
    pub max_queue_delay_microseconds: u64,
    /// Whether responses leave in the order in which their requests came.
    pub preserve_ordering: bool,
    /// What becomes of requests that wait, on all levels that have no policy of their own.
    pub queue_policy: QueuePolicy,
    /// The priority levels; `None` serves requests in the order in which they came.
    pub priorities: Option<Priorities>,
}

/// The priority levels of a model's requests, of which 1 goes first.
///
/// Source: `priority_levels`, `default_priority_level` and `priority_queue_policy` of `ModelDynamicBatching` in Triton's
/// `model_config.proto`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Priorities {
    /// How many levels there are.
    pub levels: u32,
    /// The level of requests that name none, or one that there is not.
    pub default_level: u32,
    /// The levels that have a policy of their own, ascending.
    pub queue_policies: &'static [(u32, QueuePolicy)],
}

/// How long and how many requests may wait.
///
/// Source: `ModelQueuePolicy` in Triton's `model_config.proto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuePolicy {
    /// What happens to a request whose timeout passes while it waits.
    pub timeout_action: TimeoutAction,
    /// How long a request may wait, in microseconds; 0 for no limit.
    pub default_timeout_microseconds: u64,
    /// Whether a request's own `timeout` parameter may shorten that.
    pub allow_timeout_override: bool,
    /// How many requests may wait; 0 for the server's own bound.
    pub max_queue_size: u32,
}

impl QueuePolicy {
    /// The policy of a model that says nothing of it.
    pub const DEFAULT: Self = Self {
        timeout_action: TimeoutAction::Reject,
        default_timeout_microseconds: 0,
        allow_timeout_override: false,
        max_queue_size: 0,
    };
}

/// What happens to a request whose timeout passes while it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutAction {
    /// It is answered with an error.
    Reject,
    /// It is served after all that have not timed out.
    Delay,
}

/// A place in the user's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// The crate.
    pub package: &'static str,
    /// The file, as the compiler names it.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            package,
            file,
            line,
        } = self;
        write!(f, "{file}:{line} (crate `{package}`)")
    }
}
