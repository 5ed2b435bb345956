//! The attribute that registers a model.

#[cfg(doc)]
use super::*;

/// Registers a function as a model: its parameters are the inputs, and its result is the outputs.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "AddSub", max_batch_size = 16)]
/// #[batch]
/// fn add_sub(a: ArrayView2<i32>, b: ArrayView2<i32>) -> (Array2<i32>, Array2<i32>) {
///     (&a + &b, &a - &b)
/// }
/// ```
///
/// The function may be `async`. It runs on the thread of its instance, and can use the timers, the
/// I/O and `spawn` of tokio. Its future need not be `Send`. Without [`macro@batch`], each call
/// processes one request. Errors in the signature are compile errors whose messages contain the
/// correction.
///
/// # Parameters
///
/// | type | value |
/// | --- | --- |
/// | `ArrayView1<T>` to `ArrayView6<T>`, `ArrayViewD<T>` | the input of the parameter's name, without a copy if its bytes are aligned |
/// | `Array1<T>` to `Array6<T>`, `ArrayD<T>` | the same as an owned copy |
/// | [`Ragged<T>`](crate::Ragged) | an input whose rows have different lengths within a batch, see [`macro@batch`] |
/// | `Option<…>` of these | an optional input |
/// | `Vec<String>` | an input with one text in each row |
/// | a struct that derives [`Inputs`](derive@Inputs) | its fields are inputs, like parameters |
/// | a single value, or an array, under [`macro@first_value`] | one value for all rows |
/// | `&Parameters` | the request's parameters and forwarded headers. With [`macro@batch`], only requests with equal parameters share a call |
/// | `&Context` | the model's configuration, the instance and its device |
/// | `&Identity` | the [client](crate::Identity): the name of its access token, the subject of its certificate, or a header of a proxy. With [`macro@batch`], only requests of one client share a call. Needs the embedded engine |
/// | `&Cancellation` | whether the clients of the call are still waiting |
/// | [`&Call<M>`](crate::Call) | calls another model of the program |
/// | `&Arc<T>` | a value that all models share, from [`Cli::state`](crate::Cli::state) |
/// | `&Responses<O>` | sends any number of responses; the function returns nothing or `Result<(), E>` |
/// | `&Sequence`, or `&[&Sequence]` with [`macro@batch`] | the sequence of each request |
/// | `&mut State` under [`macro@sequence`] | the state of the request's sequence |
/// | `&[Request]`, as the only input | the raw requests, see [`macro@input`]; with it, `Vec<Responses<O>>` has one entry for each request |
///
/// The type determines the kind of parameter; aliases, renamed imports and associated types work.
/// Axis 0 of an array is the batch unless `batching = false`. A doc comment on a parameter, or on a
/// field of a struct that derives [`Inputs`](derive@Inputs) or [`Outputs`](derive@Outputs),
/// describes the tensor: [`TensorSpec::description`], which the command `list` shows.
///
/// | `T` | datatype |
/// | --- | --- |
/// | `bool` | `BOOL` |
/// | `u8`, `u16`, `u32`, `u64` | `UINT8` to `UINT64` |
/// | `i8`, `i16`, `i32`, `i64` | `INT8` to `INT64` |
/// | `f16`, `bf16`, `f32`, `f64` | `FP16`, `BF16`, `FP32`, `FP64` |
/// | `String` | `BYTES`; text that is not UTF-8 is refused |
/// | `Vec<u8>`, [`Bytes`](crate::elements::Bytes) | `BYTES` |
/// | [`Json<T>`](crate::elements::Json) | `BYTES`: JSON text |
/// | a type that implements [`BytesElement`](crate::elements::BytesElement) | `BYTES` |
///
/// # Return types
///
/// | type | outputs |
/// | --- | --- |
/// | `Array1<T>` to `Array6<T>`, `ArrayD<T>` | `OUTPUT_1` |
/// | an `Option` of an array, here and below | `None` omits the output |
/// | a tuple of up to 8 arrays | `OUTPUT_1`, `OUTPUT_2` and so on |
/// | a struct that derives [`Outputs`](derive@Outputs) | its fields |
/// | [`WithParameters<O>`](WithParameters) | `O` with response parameters |
/// | `Result<O, E>` | `O`, or an error. `E` implements [`IntoError`](crate::error::IntoError), which sets the status, or only `Display` (by default, status 500) |
/// | `impl Iterator<Item = O>`, `impl Stream<Item = O>`, or a `Result` of one | one response for each item, which may be a `Result` |
/// | `Vec<O>`, for a function that takes `&[Request]` | one entry for each request, which may be a `Result` |
///
/// # Attributes
///
/// Write them below `#[model]`. The [index of this crate](crate#attributes) lists all of them.
/// Those that process a batch apply in the order in which they are written; an order that cannot
/// work does not compile.
///
/// | attribute | purpose |
/// | --- | --- |
/// | [`macro@fill_optionals`], [`macro@group_by_keys`] | values for omitted inputs; requests with the same inputs share a call. Above `#[batch]` |
/// | [`macro@batch`], [`macro@sample`] | one call for many requests, or for one |
/// | [`macro@group_by_values`], [`macro@step`] | one call for each value; a custom step. Below `#[batch]` |
/// | [`macro@pad_batch`] | repeats the last row until the batch has a preferred size. The last step |
/// | [`macro@cost`] | the input that `max_batch_cost` counts |
/// | [`macro@first_value`], on a parameter | one value for all rows. Applies last |
/// | [`macro@input`], [`macro@output`] | names and dimensions of tensors |
/// | [`macro@load`], [`macro@infer`], on methods | the state of an instance, and its use |
/// | [`macro@sequence`], on a parameter or method | the state of a sequence, and its start |
/// | [`macro@warmup`] | calls before the server is ready |
/// | [`macro@openai`] | OpenAI routes |
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
/// | `instances = 2` | 1 | the number of instances, each with its own thread. An expression with a call is evaluated at start, see below |
/// | `instances = [cpu(2), gpu(0)]` | `[cpu(1)]` | the devices of the instances, see below |
/// | `batches_in_flight = 4` | 1 | the number of batches per instance, at most 4096. An `async fn` runs them concurrently, any other function one after the other while tritonserver gathers the next. Without `#[batch]` each request is a batch |
/// | `inline = true` | `false` | whether the embedded engine may call the function on connection threads, see below |
/// | `max_call_microseconds = 5_000_000` | unlimited | the time limit of a call, see below |
/// | `unrecoverable_panics = true` | `false` | whether a panic is a fatal error, like an error of the kind [`Unrecoverable`](crate::ErrorKind::Unrecoverable) |
/// | `dynamic_batching = false` | `true` | whether requests are batched; if not, each request is a batch |
/// | `preferred_batch_size = [4, 8]` | none | batch sizes that are executed without further delay |
/// | `max_queue_delay_microseconds = 100` | 0 | how long a request may wait to be batched with others |
/// | `max_batch_cost = 16384` | unlimited | the maximum cost of a batch: the number of elements of the input that [`macro@cost`] names. A request above it is executed alone |
/// | `preserve_ordering = true` | `false` | whether responses are sent in the order of their requests |
/// | `max_queue_size = 64` | 0 | the maximum queue length; 0 for the server's limit: 4096 with the embedded engine, none with tritonserver |
/// | `default_timeout_microseconds = 1000` | 0 | the queue timeout; 0 for none |
/// | `timeout_action = "delay"` | `"reject"` | what happens after the queue timeout |
/// | `allow_timeout_override = true` | `false` | whether a request may set a shorter queue timeout |
/// | `priority_levels = 3` | none | the number of priority levels; the request parameter `priority` selects one, 1 is served first |
/// | `default_priority_level = 2` | the last | the level of requests without a valid `priority` |
/// | `priority_queue_policy(level = 1, …)` | the model's | the queue options of one level, see below |
/// | `sequence_batching = oldest` | none; `direct` with [`macro@sequence`] | each request belongs to a sequence: `direct` or `oldest`, see below |
/// | `max_sequence_idle_microseconds = 5_000_000` | 1 000 000 | the maximum time between two requests of a sequence |
/// | `minimum_slot_utilization = 0.5` | 0.0 | `direct`: the fraction of slots that must be filled before a batch starts early, without waiting for `max_queue_delay_microseconds` |
/// | `max_candidate_sequences = 64` | `max_batch_size` | `oldest`: the number of concurrent sequences per instance |
/// | `response_cache = true` | `false` | whether identical requests get a response from the cache |
/// | `parameters(weights = "/w", "a.b" = "1")` | none | custom parameters in the model configuration: [`ModelSpec::parameter`] |
/// | `client = Linear` | none | the type of the model for [calls of other models](crate::Call) and for typed clients |
/// | `crate = my::pytriton` | `::pytriton` | the path of this crate |
///
/// The configuration can replace most of them without recompiling, such as `--model
/// Linear.max_batch_size=32`. `docs/cli.md` explains how.
///
/// `crate` is needed if this crate is renamed or re-exported: `#[my::pytriton::model(name = "…",
/// crate = my::pytriton)]`. A struct that derives [`Inputs`](derive@Inputs) or
/// [`Outputs`](derive@Outputs) takes it as `#[input(crate = my::pytriton)]` or
/// `#[output(crate = my::pytriton)]`.
///
/// # Versions
///
/// Several functions with the same `name` and different `version`s are versions of one model. A
/// client selects a version, or gets the highest one. `version_policy` selects the versions that
/// are served. It applies to the model: write it on one version, or the same on several. The
/// default is all versions. Triton's default, only the latest version, would silently omit compiled
/// models.
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
/// # Number of instances
///
/// A number or constant is checked by the compiler. Any other expression of an integer type, such
/// as `pytriton::num_cpus()`, is evaluated at start. A value out of range is then an error that
/// names the model.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Double", instances = pytriton::num_cpus().div_ceil(2))]
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
/// use pytriton::config::Device;
/// use pytriton::prelude::*;
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
///             Device::Gpu(number) => format!("cuda:{number}"),
///             _ => "cpu".to_owned(),
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
/// # State
///
/// On an `impl` block, [`macro@load`] creates the state, once for each instance on the instance's
/// thread, and [`macro@infer`] processes requests. The state need not be `Send`: only the thread of
/// the instance calls the function. With `inline = true`, other threads call it too, one at a time,
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
/// A request has one row. The options for queues and priorities, and `response_cache`, are not
/// available.
pub use pytriton_macros::model;
