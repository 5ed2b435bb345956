//! The API of programs that serve models.

pub use pytriton_runtime::bound::{
    Answer, Failure, Flaw, Function, Input, Inputs, Model, ModelFlaws, Named, Output, PerSequence,
    Stateful, StatefulPerSequence,
};
pub use pytriton_runtime::call::{
    Cancellation, Cancelled, Context, ModelError, Responses, Unrecoverable, WithParameters,
};
pub use pytriton_runtime::decorators::{
    Batch, ConstantPadder, FillOptional, GroupByValues, Groups, PadBatch, PadValue, Padder, Step,
    StepError,
};
pub use pytriton_runtime::engine::EngineChoice;
pub use pytriton_runtime::half::{bf16, f16};
pub use pytriton_runtime::model::{
    Device, InstanceGroup, InstanceGroups, ModelSpec, QueuePolicy, SequenceBatching,
    SequenceStrategy, TensorSpec, TimeoutAction, VersionPolicy, Warmup, WarmupData, WarmupInput,
};
pub use pytriton_runtime::ndarray;
pub use pytriton_runtime::registry::SequenceScheduling;
pub use pytriton_runtime::request::{ParameterValue, Parameters, Request, Sequence, SequenceId};
#[cfg(feature = "embedded")]
pub use pytriton_runtime::server::Router;
pub use pytriton_runtime::server::{Addresses, Builder, Options, ServerError, Triton};
pub use pytriton_runtime::tensor::{DataType, Element, Tensor, TensorError};

/// Turns the models of a library crate into a native Triton backend: a stock tritonserver runs them
/// in its own process.
///
/// The crate's manifest names the library `triton_<backend>` and builds it as two types, for
/// tritonserver and for a binary:
///
/// ```toml
/// [lib]
/// name = "triton_doubling"
/// crate-type = ["cdylib", "rlib"]
/// ```
///
/// ```
/// #![crate_name = "triton_doubling"]
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Double", max_batch_size = 8)]
/// #[batch]
/// fn double(x: ArrayView2<f32>) -> Array2<f32> {
///     &x * 2.0
/// }
///
/// pytriton::backend!();
/// # fn main() {}
/// ```
///
/// The binary of the same package, `src/main.rs`, contains `use triton_doubling as _;` and
/// `pytriton::main!();` and serves the models as usual. Its command `repository DIR --native`
/// writes everything that tritonserver needs: `DIR/models` with the model configurations and
/// `DIR/backends` with the library.
pub use pytriton_runtime::backend;

/// Turns the models of a library crate into a Python module for numpy arrays, with the name of the
/// library.
///
/// The crate's manifest builds a `cdylib`, and `maturin build` packages it as a wheel:
///
/// ```toml
/// [lib]
/// name = "doubling"
/// crate-type = ["cdylib"]
///
/// [dependencies]
/// pytriton = { path = "…", default-features = false, features = ["python"] }
/// ```
///
/// The library consists of models and `pytriton::python!();`, as in `examples/linear_python`.
///
/// In Python, `doubling.Double(x)` calls the function, and `doubling.serve(background=True)` serves
/// it. See `docs/python.md`.
///
/// `crate = my::pytriton` sets the path of this crate, as in `#[pytriton::model]`.
#[cfg(feature = "python")]
pub use pytriton_macros::python;

/// Registers a function as a model: its parameters are the inputs, and its result is the outputs.
///
/// Errors in the signature are compile errors whose messages contain the correction.
///
/// # Options
///
/// | option | default | description |
/// | --- | --- | --- |
/// | `name = "…"` | required | the name: letters, digits, `.`, `_` and `-` |
/// | `version = 1` | 1 | the version number |
/// | `version_policy = latest(1)` | `all` | the versions that are served: `latest(…)`, `all` or `specific([1, 3])`, see below |
/// | `description = "…"` | the doc comment of the function or block | a description for users; the command `list` shows its first line |
/// | `max_batch_size = 16` | 4 | the maximum number of rows per call |
/// | `batching = false` | `true` | whether axis 0 of every tensor is the batch axis |
/// | `instances = 2` | 1 | the number of instances, each with its own thread |
/// | `instances = [cpu(2), gpu(0)]` | `[cpu(1)]` | the devices of the instances, see below |
/// | `batches_in_flight = 4` | 1 | the number of batches per instance, at most 4096. An `async fn` runs them concurrently, any other function one after the other while tritonserver gathers the next. Without `#[batch]` each request is a batch |
/// | `inline = true` | `false` | whether the embedded engine may call the function on connection threads, see below |
/// | `max_call_microseconds = 5_000_000` | unlimited | the time limit of a call, see below |
/// | `dynamic_batching = false` | `true` | whether requests are batched; if not, each request is a batch |
/// | `preferred_batch_size = [4, 8]` | none | batch sizes that are executed without further delay |
/// | `max_queue_delay_microseconds = 100` | 0 | how long a request may wait to be batched with others |
/// | `preserve_ordering = true` | `false` | whether responses are sent in the order of their requests |
/// | `max_queue_size = 64` | 0 | the maximum queue length; 0 for the server's limit |
/// | `default_timeout_microseconds = 1000` | 0 | the queue timeout; 0 for none |
/// | `timeout_action = "delay"` | `"reject"` | what happens after the queue timeout |
/// | `allow_timeout_override = true` | `false` | whether a request may set a shorter queue timeout |
/// | `priority_levels = 3` | none | the number of priority levels, at most 1024; the request parameter `priority` selects one, 1 is served first |
/// | `default_priority_level = 2` | the last | the level of requests without a valid `priority` |
/// | `priority_queue_policy(level = 1, …)` | the model's | the queue options of one level, see below |
/// | `sequence_batching = oldest` | none; `direct` with [`macro@sequence`] | each request belongs to a sequence: `direct` or `oldest`, see below |
/// | `max_sequence_idle_microseconds = 5_000_000` | 1 000 000 | the maximum time between two requests of a sequence |
/// | `minimum_slot_utilization = 0.5` | 0.0 | `direct`: the fraction of slots that must be filled before a batch starts early, without waiting for `max_queue_delay_microseconds` |
/// | `max_candidate_sequences = 64` | `max_batch_size` | `oldest`: the number of concurrent sequences per instance |
/// | `response_cache = true` | `false` | whether identical requests are answered from the response cache |
/// | `parameters(weights = "/w", "a.b" = "1")` | none | custom parameters in the model configuration: [`ModelSpec::parameter`] |
/// | `client = LinearClient` | the function's name | the type of the model in typed clients, with the feature `client` |
/// | `crate = my::pytriton` | `::pytriton` | the path of this crate |
///
/// `crate` is needed if this crate is renamed or re-exported: `#[my::pytriton::model(name = "…",
/// crate = my::pytriton)]`. A struct that derives [`Outputs`](derive@Outputs) takes it as
/// `#[output(crate = my::pytriton)]`.
///
/// # Versions
///
/// Several functions with the same `name` and different `version`s are versions of one model. A
/// client selects a version, or gets the highest one. `version_policy` selects the versions that
/// are served. It applies to the model: write it on one version, or the same on several. The
/// default is all versions, unlike Triton's default of the latest only, so that no compiled model
/// is silently left out.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Scale")]
/// #[batch]
/// fn scale(x: ArrayView2<f32>) -> Array2<f32> {
///     &x * 2.0
/// }
///
/// #[pytriton::model(name = "Scale", version = 2, version_policy = latest(1))]
/// #[batch]
/// fn scale_anew(x: ArrayView2<f32>) -> Array2<f32> {
///     &x * 3.0
/// }
/// # fn main() {}
/// ```
///
/// # Priorities
///
/// With `priority_levels`, a request with a smaller `priority` overtakes those with a larger one.
/// Requests of the same level keep their order, and a batch may contain several levels.
/// `priority_queue_policy` sets the limits of one level. It takes the four options
/// `max_queue_size`, `default_timeout_microseconds`, `timeout_action` and `allow_timeout_override`,
/// and replaces all four of the model's for this level, including those that it omits. The model's
/// limits apply to each of the other levels separately.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(
///     name = "Double",
///     priority_levels = 3,
///     default_priority_level = 2,
///     priority_queue_policy(
///         level = 3,
///         max_queue_size = 100,
///         default_timeout_microseconds = 500_000,
///     )
/// )]
/// #[batch]
/// fn double(x: ArrayView2<f32>) -> Array2<f32> {
///     &x * 2.0
/// }
/// ```
///
/// # Devices
///
/// `instances = [cpu(2), gpu(0), gpu(1)]` creates two CPU instances and one instance for each of
/// two GPUs; `gpu(0), gpu(0)` creates two on one GPU. [`Context::device`] returns the device of an
/// instance, and the function opens it: request tensors are in CPU memory. The server does not
/// start if a GPU is known to be missing.
///
/// ```
/// use pytriton::prelude::*;
/// use pytriton::Device;
///
/// struct Network {
///     device: String,
/// }
///
/// #[pytriton::model(name = "Network", instances = [cpu(2), gpu(0)])]
/// impl Network {
///     #[load]
///     fn load(context: &Context) -> Self {
///         let device = match context.device() {
///             Device::Cpu => "cpu".to_owned(),
///             Device::Gpu(number) => format!("cuda:{number}"),
///         };
///         Self { device }
///     }
///
///     #[infer]
///     #[batch]
///     fn infer(&self, x: ArrayView2<f32>) -> Array2<String> {
///         Array2::from_elem((x.nrows(), 1), self.device.clone())
///     }
/// }
/// ```
///
/// # Inline execution
///
/// With `inline = true`, the embedded engine may call the function on the thread that read the
/// request. This avoids two thread switches, which take about 10 to 20 µs.
///
/// The function must return within some tens of microseconds. It must not block: no `block_on`, no
/// files or network, no contended locks, no waiting for spawned tasks. While it runs, the other
/// connections of its thread wait. One connection thread never calls functions, so that a slow
/// call does not stop the server. If several calls within a second take longer than 1 ms, a warning
/// names the model.
///
/// Each call has exclusive access to an instance and its state. Any thread may make the call, so
/// the state must be `Send`; it need not be `Sync`. Requests of more than 256 KiB, and requests
/// that wait for an instance or a batch, are executed on the threads of the instances. With
/// tritonserver and the native backend the option has no effect: each function is called on the
/// thread of its instance.
///
/// `async` functions, streams, `&Cancellation`, sequences, `batches_in_flight` and
/// `max_call_microseconds` do not compile with `inline = true`.
///
/// ```
/// use std::cell::Cell;
///
/// use pytriton::prelude::*;
///
/// struct Counter(Cell<u64>);
///
/// #[pytriton::model(name = "Counter", inline = true)]
/// impl Counter {
///     #[load]
///     fn load() -> Self {
///         Self(Cell::new(0))
///     }
///
///     #[infer]
///     fn infer(&self, x: ArrayView2<u64>) -> Array2<u64> {
///         self.0.set(self.0.get() + 1);
///         &x + self.0.get()
///     }
/// }
/// ```
///
/// # Time limits
///
/// With `max_call_microseconds`, the requests of a longer call get 504 / `DEADLINE_EXCEEDED`. An
/// `async` function is dropped at its current `.await`, and its instance continues. Any other
/// function cannot be stopped: its instance stalls. Its other unanswered requests get 503 /
/// `UNAVAILABLE`, and it receives no requests until the call returns. The late result is dropped.
/// If all instances of a model are stalled, the model and the server are not ready, and requests
/// are refused immediately.
///
/// The limit applies to one call; without [`macro@batch`], to one request.
///
/// # Models in other crates
///
/// A binary serves the models of all crates that it links, but the linker omits libraries that are
/// not referenced. If the models are in a library, reference it: `use my_models as _;`.
///
/// # Parameters
///
/// - `ArrayView1<T>` to `ArrayView6<T>` and `ArrayViewD<T>`, or `Array1<T>` to `Array6<T>` and
///   `ArrayD<T>` for an owned copy. `T` is `bool`, an integer of 8 to 64 bits, `f16`, `bf16`,
///   `f32`, `f64`, `String` or `Vec<u8>`. Axis 0 is the batch unless `batching = false`.
/// - `Option<…>` of these: an optional input.
/// - A single value under [`macro@first_value`].
/// - `&Parameters`: the request's parameters and forwarded headers. With [`macro@batch`], only
///   requests with equal parameters share a call.
/// - `&Context`: the model's configuration, the instance and its device.
/// - `&Sequence`: the request's sequence, or `&[&Sequence]` with [`macro@batch`].
/// - `&mut State` under [`macro@sequence`]: the state of the request's sequence.
/// - `&[Request]` as the only input: the raw requests, see [`macro@input`].
///
/// A doc comment on a parameter, or on a field of a struct that derives
/// [`Outputs`](derive@Outputs), describes the tensor: [`TensorSpec::description`], which the
/// command `list` shows.
///
/// The type determines the kind of parameter; aliases, renamed imports and associated types work.
///
/// # Decorators
///
/// Write them above the function in the order in which they apply: [`macro@fill_optionals`] and
/// [`macro@group_by_keys`], then [`macro@batch`] or [`macro@sample`], then
/// [`macro@group_by_values`] and custom steps ([`macro@step`]), then [`macro@pad_batch`]. Another
/// order does not compile. [`macro@first_value`] on a parameter applies last.
///
/// Without [`macro@batch`], each call processes one request. The function may be `async`.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "AddSub", batching = false)]
/// fn add_sub(a: ArrayView1<i32>, b: ArrayView1<i32>) -> (Array1<i32>, Array1<i32>) {
///     (&a + &b, &a - &b)
/// }
/// ```
///
/// # State
///
/// On an `impl` block, [`macro@load`] creates the state, once for each instance on the instance's
/// thread, and [`macro@infer`] processes requests. The state need not be `Send`: only the thread of
/// the instance calls the function. With `inline = true` other threads call it too, one at a time,
/// and the state must be `Send`.
///
/// ```
/// use std::cell::Cell;
///
/// use pytriton::prelude::*;
///
/// struct Counter {
///     calls: Cell<u64>,
/// }
///
/// #[pytriton::model(name = "Counter")]
/// impl Counter {
///     #[load]
///     fn load() -> Self {
///         Self { calls: Cell::new(0) }
///     }
///
///     #[infer]
///     #[batch]
///     fn infer(&self, x: ArrayView2<u64>) -> Array2<u64> {
///         self.calls.set(self.calls.get() + 1);
///         &x + self.calls.get()
///     }
/// }
/// ```
///
/// # Sequences
///
/// With `sequence_batching`, or a parameter under [`macro@sequence`], each request belongs to a
/// sequence. The request parameter `sequence_id` is a number or a string, `sequence_start` is true
/// for the first request and `sequence_end` for the last. One instance processes the requests of a
/// sequence in order. A sequence ends after `max_sequence_idle_microseconds` without a request.
/// The strategy limits the sequences per instance; others wait for a slot:
///
/// - `direct`: `max_batch_size` sequences. A batch contains at most one request of each. It starts
///   immediately, or as `max_queue_delay_microseconds` and `minimum_slot_utilization` specify.
/// - `oldest`: `max_candidate_sequences` sequences. The dynamic batcher forms their batches, with
///   `preferred_batch_size`, `max_queue_delay_microseconds` and `preserve_ordering`.
///
/// A request has one row. Options for queues and priorities and `response_cache` are not available.
pub use pytriton_macros::model;

/// Derives the outputs of a model from a struct of arrays, named after its fields.
///
/// `#[output(name = "…", shape = […])]` on a field sets another name, or the dimensions without the
/// batch axis. `#[output(crate = my::pytriton)]` on the struct sets the path of this crate.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[derive(pytriton::Outputs)]
/// struct Both {
///     sum: Array2<f32>,
///     #[output(name = "DIFFERENCE", shape = [3])]
///     difference: Array2<f32>,
/// }
///
/// #[pytriton::model(name = "Both")]
/// #[batch]
/// fn both(a: ArrayView2<f32>, b: ArrayView2<f32>) -> Both {
///     Both { sum: &a + &b, difference: &a - &b }
/// }
/// ```
pub use pytriton_macros::Outputs;

/// Calls the function once for the whole batch: the rows of its requests are stacked along axis 0.
///
/// Place it below [`macro@model`]; requires batching. The outputs must have as many rows as the
/// inputs.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Double", max_batch_size = 64)]
/// #[batch]
/// fn double(x: ArrayView2<f32>) -> Array2<f32> {
///     &x * 2.0
/// }
/// ```
pub use pytriton_macros::batch;

/// Calls the function once for each request, with tensors without a batch axis.
///
/// Place it below [`macro@model`] with `batching = false`. It only documents the default of such a
/// model.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Reverse", batching = false)]
/// #[sample]
/// fn reverse(x: ArrayView1<f32>) -> Array1<f32> {
///     x.slice(s![..;-1]).to_owned()
/// }
/// ```
pub use pytriton_macros::sample;

/// On a parameter under [`macro@batch`]: passes the first row of the input instead of all rows.
///
/// A scalar parameter receives the single element of the row, an array parameter the row without
/// the batch axis. Unless `strict = false`, different rows within a request are an error, and
/// requests with different values are executed one by one. `squeeze = true` is allowed on a scalar
/// and has no effect; arrays are never squeezed.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Scale")]
/// #[batch]
/// fn scale(
///     x: ArrayView2<f32>,
///     #[first_value] by: f32,
///     #[first_value(strict = false)] offset: Option<ArrayView1<f32>>,
/// ) -> Array2<f32> {
///     let scaled = &x * by;
///     match offset {
///         Some(offset) => scaled + offset,
///         None => scaled,
///     }
/// }
/// ```
pub use pytriton_macros::first_value;

/// On a parameter: sets the input's name, and its dimensions without the batch axis (-1 for any
/// size).
///
/// On a function that takes `&[Request]`: declares an input; `datatype` is its KServe name.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Mean")]
/// #[batch]
/// fn mean(#[input(name = "IMAGE", shape = [224, 224, 3])] image: ArrayView4<f32>) -> Array2<f32> {
///     let rows = image.outer_iter().map(|image| image.mean().unwrap_or_default());
///     Array::from_iter(rows).insert_axis(Axis(1))
/// }
///
/// #[pytriton::model(name = "Lengths")]
/// #[input(name = "x", datatype = FP32, shape = [-1])]
/// #[input(name = "note", datatype = BYTES, shape = [1], optional = true)]
/// fn lengths(requests: &[Request]) -> Vec<Result<Array2<u64>, String>> {
///     let length = |request: &Request| {
///         let x = request.array::<f32>("x").map_err(|error| error.to_string())?;
///         let columns = x.map_or(0, |x| x.shape()[1]);
///         Ok(Array2::from_elem((request.batch_size(), 1), columns as u64))
///     };
///     requests.iter().map(length).collect()
/// }
/// ```
pub use pytriton_macros::input;

/// On a function, once for each output: sets its name, its dimensions without the batch axis, or
/// both.
///
/// By default the outputs are named `OUTPUT_1`, `OUTPUT_2` and so on, with dimensions of any size.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Split")]
/// #[batch]
/// #[output(name = "head", shape = [1])]
/// #[output(name = "tail")]
/// fn split(x: ArrayView2<f32>) -> (Array2<f32>, Array2<f32>) {
///     (x.slice(s![.., ..1]).to_owned(), x.slice(s![.., 1..]).to_owned())
/// }
/// ```
pub use pytriton_macros::output;

/// In an `impl` block under [`macro@model`]: the function that creates the state.
///
/// It takes nothing or `&Context`, and returns `Self` or `Result<Self, E>`. If it fails, the
/// instance does not become ready.
pub use pytriton_macros::load;

/// In an `impl` block under [`macro@model`]: the method that processes requests; takes `&self`
/// first.
///
/// Parameters, helper attributes and return types are those of a function under [`macro@model`].
pub use pytriton_macros::infer;

/// Sets the value of an input that a request omits: `parameter = value`, once for each input.
///
/// The input becomes optional, and the function always receives an array. A single value is used
/// for every element of a row; an array of values is one row. The elements have the parameter's
/// type: `1.0` for `f32`, `"…"` for `String`.
///
/// Place it above [`macro@batch`]. Without a batch axis, the value is the whole input.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Scaled")]
/// #[fill_optionals(scale = 1.0, offset = [0.0, 0.5])]
/// #[batch]
/// fn scaled(
///     x: ArrayView2<f32>,
///     scale: ArrayView2<f32>,
///     #[input(shape = [2])] offset: ArrayView2<f32>,
/// ) -> Array2<f32> {
///     &x * &scale + &offset
/// }
/// ```
pub use pytriton_macros::fill_optionals;

/// Batches only requests with the same set of inputs. Place it above [`macro@batch`].
///
/// This is also the default; the attribute corresponds to PyTriton's decorator of the same name.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Shift")]
/// #[group_by_keys]
/// #[batch]
/// fn shift(x: ArrayView2<f32>, by: Option<ArrayView2<f32>>) -> Array2<f32> {
///     by.map_or_else(|| x.to_owned(), |by| &x + &by)
/// }
/// ```
pub use pytriton_macros::group_by_keys;

/// Calls the function once for each distinct value of the given parameters. Place it below
/// [`macro@batch`].
///
/// The responses keep the order of the rows. If a call fails, only the requests with rows in its
/// group fail. `pad_fn` pads outputs whose dimensions differ between groups; it takes a [`Padder`],
/// such as a [`ConstantPadder`].
///
/// ```
/// use pytriton::prelude::*;
/// use pytriton::ConstantPadder;
///
/// #[pytriton::model(name = "Repeat")]
/// #[batch]
/// #[group_by_values(times, pad_fn = ConstantPadder::new(0))]
/// fn repeat(x: ArrayView2<i32>, #[first_value] times: u8) -> Array2<i32> {
///     let columns = (0..times).flat_map(|_| 0..x.ncols());
///     x.select(Axis(1), &columns.collect::<Vec<_>>())
/// }
/// ```
pub use pytriton_macros::group_by_values;

/// Repeats the last row until the batch has a preferred size, or the maximum. Place it below
/// [`macro@batch`].
///
/// The responses to the added rows are dropped.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Fixed", max_batch_size = 8, preferred_batch_size = [2, 4])]
/// #[batch]
/// #[pad_batch]
/// fn fixed(x: ArrayView2<f32>) -> Array2<f32> {
///     assert!([2, 4, 8].contains(&x.nrows()));
///     x.to_owned()
/// }
/// ```
pub use pytriton_macros::pad_batch;

/// Also serves the model at OpenAI's routes: `#[openai(completions)]` at `/v1/completions`,
/// `#[openai(chat)]` at `/v1/chat/completions`.
///
/// Place it below [`macro@model`]. The function takes the `prompt` as a `String`, or the `messages`
/// as [`Messages`](crate::openai::Messages). It returns pieces of text: an iterator or stream of
/// `String` or [`Piece`](crate::openai::Piece), `&Responses<Piece>`, or a single one. See
/// [`openai`](mod@crate::openai).
///
/// ```
/// use pytriton::prelude::*;
///
/// /// Repeats the words of the prompt.
/// #[pytriton::model(name = "again")]
/// #[openai(completions)]
/// fn again(prompt: String, max_tokens: Option<i64>) -> impl Iterator<Item = String> {
///     let most = max_tokens.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
///     let words: Vec<String> = prompt.split_inclusive(' ').map(str::to_owned).collect();
///     words.into_iter().take(most)
/// }
/// ```
pub use pytriton_macros::openai;

/// Warm-up calls that each instance makes before it accepts requests, so that the first client does
/// not wait for one-time work.
///
/// Place it below [`macro@model`], once for each kind of call. `count` (default 1) is the number of
/// calls, and `batch_size` (default 1) the number of rows per call. Each row is a separate request,
/// or a complete sequence for a sequence model.
///
/// Each of the `inputs` is `zero`, `random`, or read from a `file` whose rows are repeated as
/// needed. The file is in NumPy's format if its path ends with `.npy`. Otherwise it contains the
/// bytes of the elements in row-major order (`BYTES` with length prefixes). If the dimensions of
/// the model are not fixed, give them without the batch axis: `zero([128])`, `random([128])`,
/// `file("x.raw", [128])`. Optional inputs can be omitted.
///
/// If a call fails or exceeds `max_call_microseconds`, the server does not start, and the error
/// contains the function's message. Statistics do not include these calls.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Sum", max_batch_size = 16)]
/// #[warmup(name = "one", inputs(x = zero([8])))]
/// #[warmup(name = "full", batch_size = 16, count = 3, inputs(x = random([128])))]
/// #[batch]
/// fn sum(x: ArrayView2<f32>) -> Array2<f32> {
///     x.sum_axis(Axis(1)).insert_axis(Axis(1))
/// }
/// ```
pub use pytriton_macros::warmup;

/// Adds a custom step: a value of a type that implements [`Step`]. Place it below [`macro@batch`].
///
/// Steps wrap the function in the order in which they are written.
///
/// ```
/// use pytriton::prelude::*;
/// use pytriton::{Batch, Groups, Step, StepError};
///
/// /// Limits the rows of a call.
/// #[derive(Debug)]
/// struct AtMost {
///     rows: usize,
/// }
///
/// impl Step for AtMost {
///     fn cut(&self, batch: &Batch<'_>) -> Result<Groups, StepError> {
///         let rows: Vec<usize> = (0..batch.rows()).collect();
///         Ok(rows.chunks(self.rows).map(<[usize]>::to_vec).collect())
///     }
/// }
///
/// #[pytriton::model(name = "Halves", max_batch_size = 16)]
/// #[batch]
/// #[step(AtMost { rows: 8 })]
/// fn halves(x: ArrayView2<f32>) -> Array2<f32> {
///     assert!(x.nrows() <= 8);
///     x.to_owned()
/// }
/// ```
pub use pytriton_macros::step;

/// On a parameter: the state of the request's sequence, `&mut State`, which persists between its
/// requests.
///
/// With [`macro@batch`], or in a function that takes `&[Request]`, it is `&mut [&mut State]`: one
/// for each request of the call, in order. `State` is any type without borrowed data; it stays on
/// its instance's thread and need not be `Send`.
///
/// A request that starts a sequence gets a new state: `State::default()`, or the result of a
/// function under `#[sequence]` in the `impl` block. That function takes any of `&self`, `sequence:
/// &Sequence` and `context: &Context`, and returns `State` or `Result<State, E>`.
///
/// The state is dropped after the response to the last request, or when the sequence is started
/// again. If the sequence is idle, the state is dropped about a second after the maximum idle time,
/// once its instance is free.
///
/// If the function returns an error, the state is kept. If it panics or exceeds its time limit, the
/// state is lost: the next request of the sequence fails and asks the client to start it again.
///
/// ```standalone_crate
/// use std::io::{Read, Write};
/// use std::net::TcpStream;
///
/// use pytriton::prelude::*;
/// use pytriton::testing;
///
/// #[pytriton::model(name = "Sum")]
/// fn sum(#[sequence] sum: &mut f32, x: ArrayView2<f32>) -> Array2<f32> {
///     *sum += x.sum();
///     array![[*sum]]
/// }
///
/// fn ask(served: &testing::Served, parameters: &str, x: f32) -> std::io::Result<String> {
///     let body = format!(
///         r#"{{"parameters":{{"sequence_id":5{parameters}}},
///             "inputs":[{{"name":"x","datatype":"FP32","shape":[1,1],"data":[{x}]}}]}}"#
///     );
///     let mut stream = TcpStream::connect(served.http())?;
///     let (path, length) = ("/v2/models/Sum/infer", body.len());
///     write!(stream, "POST {path} HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{body}")?;
///     let mut answer = String::new();
///     stream.read_to_string(&mut answer)?;
///     Ok(answer)
/// }
///
/// # fn main() -> std::io::Result<()> {
/// let served = testing::serve_registered().unwrap();
/// assert!(ask(&served, r#","sequence_start":true"#, 2.0)?.contains(r#""data":[2.0]"#));
/// assert!(ask(&served, "", 3.0)?.contains(r#""data":[5.0]"#));
/// assert!(ask(&served, r#","sequence_end":true"#, 4.0)?.contains(r#""data":[9.0]"#));
/// # Ok(())
/// # }
/// ```
///
/// In an `impl` block, for all rows of a batch:
///
/// ```
/// use pytriton::prelude::*;
///
/// struct Joiner {
///     separator: char,
/// }
///
/// #[pytriton::model(name = "Joiner", sequence_batching = oldest, max_candidate_sequences = 64)]
/// impl Joiner {
///     #[load]
///     fn load() -> Self {
///         Self { separator: '/' }
///     }
///
///     #[sequence]
///     fn start(&self, sequence: &Sequence) -> String {
///         sequence.id().to_string()
///     }
///
///     #[infer]
///     #[batch]
///     fn infer(
///         &self,
///         #[sequence] texts: &mut [&mut String],
///         word: ArrayView2<String>,
///     ) -> Array2<String> {
///         for (text, word) in texts.iter_mut().zip(&word) {
///             text.push(self.separator);
///             text.push_str(word);
///         }
///         Array2::from_shape_fn((texts.len(), 1), |(row, _)| texts[row].clone())
///     }
/// }
/// ```
pub use pytriton_macros::sequence;
