//! What a program that serves models uses.

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

/// Makes the models of a library crate a native Triton backend: a stock tritonserver runs them in its own process.
///
/// The crate's manifest names the library `triton_<backend>` and builds it twice, for tritonserver and for a binary:
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
/// The binary of the same package, `src/main.rs`, is `use triton_doubling as _;` and `pytriton::main!();`. It serves the
/// models as any other does. Its command `repository DIR --native` writes all that a tritonserver needs to run them
/// without it: `DIR/models` with their configuration and `DIR/backends` with the library.
pub use pytriton_runtime::backend;

/// Makes the models of a library crate a Python module of the library's name, for numpy's arrays.
///
/// The crate's manifest builds a `cdylib`, and `maturin build` makes a wheel of it:
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
/// The library itself is models and `pytriton::python!();`, as `examples/linear_python` is.
///
/// In Python, `doubling.Double(x)` calls the function, and `doubling.serve(background=True)` serves it. `docs/python.md` has
/// the rest.
///
/// `crate = my::pytriton` says where this crate is, as in `#[pytriton::model]`.
#[cfg(feature = "python")]
pub use pytriton_macros::python;

/// Registers a function as a model: its parameters are the inputs, what it returns are the outputs.
///
/// Whatever is wrong with the signature is a compile error; the message says what to write.
///
/// # Options
///
/// | option | default | |
/// | --- | --- | --- |
/// | `name = "…"` | | letters, digits, `.`, `_` and `-` |
/// | `version = 1` | 1 | |
/// | `version_policy = latest(1)` | `all` | which versions of the model are served: `latest(…)`, `all` or `specific([1, 3])`, see below |
/// | `description = "…"` | the doc comment of the function or block | what the model is, for people; the command `list` shows its first line |
/// | `max_batch_size = 16` | 4 | the most rows of one call |
/// | `batching = false` | `true` | tensors have no batch axis |
/// | `instances = 2` | 1 | how many threads call the function, each its own instance |
/// | `instances = [cpu(2), gpu(0)]` | `[cpu(1)]` | on which devices they are, see below |
/// | `batches_in_flight = 4` | 1 | how many batches an instance has at a time: an `async fn` runs them side by side, any other one after the other, while tritonserver gathers the next; at most 4096. Without `#[batch]` a request is a batch by itself |
/// | `max_call_microseconds = 5_000_000` | any time | how long a call of the function may take, see below |
/// | `dynamic_batching = false` | `true` | each request is a batch of its own |
/// | `preferred_batch_size = [4, 8]` | | sizes that are sent at once |
/// | `max_queue_delay_microseconds = 100` | 0 | how long a request may wait for company |
/// | `preserve_ordering = true` | `false` | responses leave as their requests came |
/// | `max_queue_size = 64` | 0 | how many requests may wait; 0 for the server's own bound |
/// | `default_timeout_microseconds = 1000` | 0 | how long a request may wait; 0 for any time |
/// | `timeout_action = "delay"` | `"reject"` | what happens to one that waited too long |
/// | `allow_timeout_override = true` | `false` | a request may wish for a shorter timeout than the default one |
/// | `priority_levels = 3` | none | requests are served by their parameter `priority`, 1 first; at most 1024 |
/// | `default_priority_level = 2` | the last | the level of requests that name none, or one that there is not |
/// | `priority_queue_policy(level = 1, …)` | the model's | a level's own queue, see below |
/// | `sequence_batching = oldest` | none; `direct` with [`macro@sequence`] | requests belong to sequences: `direct` or `oldest`, see below |
/// | `max_sequence_idle_microseconds = 5_000_000` | 1 000 000 | how long a sequence may have no request |
/// | `minimum_slot_utilization = 0.5` | 0.0 | `direct`: how much of the rows must have a request for a batch to go before `max_queue_delay_microseconds` have passed |
/// | `max_candidate_sequences = 64` | `max_batch_size` | `oldest`: how many sequences an instance serves at a time |
/// | `response_cache = true` | `false` | requests of the same inputs get the response of the first, without a call |
/// | `parameters(weights = "/w", "a.b" = "1")` | none | what else the model's configuration says: [`ModelSpec::parameter`] |
/// | `client = LinearClient` | the function's name | the type that stands for the model in typed clients, with the feature `client` |
/// | `crate = my::pytriton` | `::pytriton` | where this crate is |
///
/// `crate` is for a crate that has this one under another name: `#[my::pytriton::model(name = "…", crate = my::pytriton)]`.
/// A struct that derives [`Outputs`](derive@Outputs) takes the same as `#[output(crate = my::pytriton)]`.
///
/// # Versions
///
/// Several functions of one `name`, each with a `version` of its own, are versions of one model: clients name one, or get the
/// highest. `version_policy` says which of them are served, and is the model's: it stands at one of them, or the same at
/// several. Where it stands nowhere all of them are, and not the latest alone, as with Triton's own default: what is compiled
/// in and not served is so because somebody has said it.
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
/// With `priority_levels`, a request of a smaller `priority` overtakes those of a larger one; requests of the same level
/// leave in the order in which they came, and a batch may hold requests of several levels. `priority_queue_policy` stands
/// once for each level that has limits of its own. It takes the four options `max_queue_size`,
/// `default_timeout_microseconds`, `timeout_action` and `allow_timeout_override`; those of the model then do not count for
/// the level, not even where it leaves one out. The limits of the model count for each of the other levels apart.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(
///     name = "Double",
///     priority_levels = 3,
///     default_priority_level = 2,
///     priority_queue_policy(level = 3, max_queue_size = 100, default_timeout_microseconds = 500_000)
/// )]
/// #[batch]
/// fn double(x: ArrayView2<f32>) -> Array2<f32> {
///     &x * 2.0
/// }
/// ```
///
/// # Devices
///
/// `instances = [cpu(2), gpu(0), gpu(1)]` makes two instances for the processor and one for each of two GPUs; `gpu(0), gpu(0)`
/// are two on one GPU. [`Context::device`] says which an instance is for, and its function opens it: the tensors of requests
/// are in the processor's memory. A server does not start where a GPU surely is not there.
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
/// # Calls that take too long
///
/// With `max_call_microseconds`, the requests of a call that takes longer are answered with 504 / `DEADLINE_EXCEEDED`. An
/// `async` function is dropped at the `.await` where it is, and its instance goes on. Where it keeps the thread, as any
/// other function does, nothing can end it: its instance hangs. What it has begun besides and not answered is answered with
/// 503 / `UNAVAILABLE`, and it gets no more requests until the call returns; what that returns is dropped. A model all of
/// whose instances hang is not ready, nor is the server, and its requests are refused at once.
///
/// The limit is for one call: without [`macro@batch`], that is for one request.
///
/// # Models of other crates
///
/// A binary serves the models of all crates that it links, and the compiler leaves out a library that is named nowhere.
/// A binary whose models are in a library names it: `use my_models as _;`.
///
/// # Parameters
///
/// - `ArrayView1<T>` to `ArrayView6<T>` and `ArrayViewD<T>`, or `Array1<T>` to `Array6<T>` and `ArrayD<T>` for a copy to
///   keep. `T` is `bool`, an integer of 8 to 64 bits, `f16`, `bf16`, `f32`, `f64`, `String` or `Vec<u8>`. Axis 0 is the
///   batch unless `batching = false`.
/// - `Option<…>` of these: a request may leave the input out.
/// - A single value under [`macro@first_value`].
/// - `&Parameters`: the request's parameters and headers. With [`macro@batch`], requests of different parameters are
///   not called together.
/// - `&Context`: the model's configuration, the instance and its device.
/// - `&Sequence`: which sequence the request belongs to, or `&[&Sequence]` with [`macro@batch`].
/// - `&mut State` under [`macro@sequence`]: what the function keeps from one request of a sequence to the next.
/// - `&[Request]` alone: the requests as they are, see [`macro@input`].
///
/// A doc comment on a parameter, as one on a field of a struct that derives [`Outputs`](derive@Outputs), says what the tensor
/// is: [`TensorSpec::description`], which the command `list` shows.
///
/// Types decide what a parameter is: an alias, an import under another name or an associated type is what it stands for.
///
/// # Decorators
///
/// They stand above the function in the order in which they work: [`macro@fill_optionals`] and [`macro@group_by_keys`],
/// then [`macro@batch`] or [`macro@sample`], then [`macro@group_by_values`] and steps of your own ([`macro@step`]), then
/// [`macro@pad_batch`]. Any other order does not compile. [`macro@first_value`] on a parameter comes last.
///
/// Without [`macro@batch`] each call sees one request. The function may be `async`.
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
/// On an `impl` block, [`macro@load`] makes the state, once for each instance on the instance's thread, and
/// [`macro@infer`] answers requests. The state need not be `Send`: then only its thread calls the function. A state that is
/// `Send` and `Sync` may be called from any thread, which saves a short function the way to its own.
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
/// # Sequences
///
/// With `sequence_batching`, or a parameter under [`macro@sequence`], each request belongs to a sequence and says so in its
/// parameters: `sequence_id` is a number or a text, `sequence_start` is true for the first request, `sequence_end` for the
/// last. The requests of a sequence are answered one after the other, and by one instance. A sequence without a request for
/// `max_sequence_idle_microseconds` is forgotten. An instance serves so many sequences at a time, and the others wait:
///
/// - `direct`: `max_batch_size`; a batch has at most one request of each, and goes as soon as it has one, or as
///   `max_queue_delay_microseconds` and `minimum_slot_utilization` say.
/// - `oldest`: `max_candidate_sequences`; their requests are gathered as those of other models are, by
///   `preferred_batch_size`, `max_queue_delay_microseconds` and `preserve_ordering`.
///
/// A request has one row. The options of queues and priorities are those of dynamic batching, and there is none, nor is
/// there `response_cache`.
pub use pytriton_macros::model;

/// Makes a struct of arrays the outputs of a model, named as its fields.
///
/// `#[output(name = "…", shape = […])]` on a field gives it another name, or dims without the batch axis.
/// `#[output(crate = my::pytriton)]` on the struct says where this crate is.
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

/// One call for the whole batch: the rows of its requests are stacked along axis 0.
///
/// It stands below [`macro@model`] and needs batching. The outputs have as many rows as the inputs.
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

/// One call for each request, whose tensors have no batch axis.
///
/// It stands below [`macro@model`] with `batching = false`, and says what would happen without it too.
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

/// On a parameter under [`macro@batch`]: the first row of the input instead of all rows.
///
/// A scalar type takes the only element of the row, an array type the row without the batch axis. Rows that differ are
/// an error unless `strict = false`. `squeeze = true` may be written on a scalar, where it says what happens anyway; an
/// array is never squeezed.
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

/// On a parameter: the input's name, and its dims without the batch axis (-1 for any size).
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

/// On a function, once for each output: its name, its dims without the batch axis, or both.
///
/// Without it the outputs are `OUTPUT_1`, `OUTPUT_2` and so on, of any dims.
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

/// In an `impl` block under [`macro@model`]: the function that makes the state.
///
/// It takes nothing or `&Context` and returns `Self` or `Result<Self, E>`. An instance whose state cannot be made is
/// never ready.
pub use pytriton_macros::load;

/// In an `impl` block under [`macro@model`]: the method that answers requests, with `&self` first.
///
/// Parameters, helpers and return type are those of a function under [`macro@model`].
pub use pytriton_macros::infer;

/// What an input is where a request leaves it out: `parameter = value`, once for each.
///
/// The input is optional then, and the function always gets an array. A value stands for every element of a row, an array
/// of values for a row. Its elements are those of the parameter: `1.0` for `f32`, `"…"` for `String`.
///
/// It stands above [`macro@batch`]. Without a batch axis the value is the whole input.
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

/// Requests that leave out other inputs are called apart, above [`macro@batch`].
///
/// That is so without it too: it says what happens, as PyTriton's decorator of that name makes it.
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

/// Rows of the same values of these parameters are called together, and others apart, below [`macro@batch`].
///
/// The answers come back in the order of the rows, and a group that fails fails the requests of its own rows. Groups whose
/// outputs have different dims can be padded: `pad_fn` takes a [`Padder`], such as a [`ConstantPadder`].
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

/// The last row is repeated until the batch has a preferred size, or the largest, below [`macro@batch`].
///
/// The answers to the rows that were added are dropped.
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

/// The model is served over OpenAI's routes too: `#[openai(completions)]` over `/v1/completions`, `#[openai(chat)]` over
/// `/v1/chat/completions`.
///
/// It stands below [`macro@model`]. The function takes the `prompt` as a `String`, or the `messages` as
/// [`Messages`](crate::openai::Messages), and answers with pieces of text: an iterator or a stream of `String` or
/// [`Piece`](crate::openai::Piece), `&Responses<Piece>`, or one of them. See [`openai`](mod@crate::openai).
///
/// ```
/// use pytriton::prelude::*;
///
/// /// Says the words of a prompt again.
/// #[pytriton::model(name = "again")]
/// #[openai(completions)]
/// fn again(prompt: String, max_tokens: Option<i64>) -> impl Iterator<Item = String> {
///     let most = max_tokens.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
///     let words: Vec<String> = prompt.split_inclusive(' ').map(str::to_owned).collect();
///     words.into_iter().take(most)
/// }
/// ```
pub use pytriton_macros::openai;

/// Calls that each instance makes with made-up requests before it takes others, so that the first client need not wait for
/// what only the first call takes long for.
///
/// It stands below [`macro@model`], once for each kind of call. `count` calls (1) are made with `batch_size` rows (1), of which
/// each is a request of its own, and in a model of sequences a sequence. `inputs` are `zero`, `random`, or from a `file` whose
/// rows are repeated where the batch has more: numpy's where its path ends with `.npy`, otherwise the elements' bytes in
/// row-major order, those of `BYTES` behind their lengths. Dims without the batch axis are needed where the model's are not
/// fixed: `zero([128])`, `random([128])`, `file("x.raw", [128])`. An optional input can be left out.
///
/// A call that fails, or takes longer than `max_call_microseconds`, keeps the model from being served, with the function's
/// message; the server does not start then. Statistics do not count these calls.
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

/// A step of your own, a value of a type that implements [`Step`], below [`macro@batch`].
///
/// Steps stand around the function in the order in which they are written.
///
/// ```
/// use pytriton::prelude::*;
/// use pytriton::{Batch, Groups, Step, StepError};
///
/// /// At most so many rows in a call.
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

/// On a parameter: the state of the sequence that the request belongs to, `&mut State`, which the function finds at the next
/// request as it has left it at this one.
///
/// With [`macro@batch`], or a function that takes `&[Request]`, it is `&mut [&mut State]`: one for each request of the call,
/// in their order. `State` is any type that borrows nothing; it stays on its instance's thread and need not be `Send`.
///
/// A request that starts a sequence gets a new state: `State::default()`, or what a function under `#[sequence]` in the `impl`
/// block returns. It takes any of `&self`, `sequence: &Sequence` and `context: &Context`, and returns `State` or
/// `Result<State, E>`. The state is dropped when the request that ends its sequence has been answered, when the sequence
/// starts anew, or a second after it has been idle for too long, as far as its instance was free since.
///
/// A function that returns an error keeps the state. One that panics, or that is given up because it takes too long, loses it:
/// the sequence's next request fails, and says that it is to be started again.
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
///     fn infer(&self, #[sequence] texts: &mut [&mut String], word: ArrayView2<String>) -> Array2<String> {
///         for (text, word) in texts.iter_mut().zip(&word) {
///             text.push(self.separator);
///             text.push_str(word);
///         }
///         Array2::from_shape_fn((texts.len(), 1), |(row, _)| texts[row].clone())
///     }
/// }
/// ```
pub use pytriton_macros::sequence;
