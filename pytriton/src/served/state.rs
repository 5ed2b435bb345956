//! The state of instances and sequences.

#[cfg(doc)]
use super::*;

/// In an `impl` block under [`macro@model`]: the function that creates the state.
///
/// It takes any of `&Context`, `Call<M>` for a model that it calls, and `Arc<T>` for a state that
/// models share. It returns `Self` or `Result<Self, E>`, and may be `async`. If it fails, the
/// instance does not become ready.
pub use pytriton_macros::load;

/// In an `impl` block under [`macro@model`]: the method that processes requests; takes `&self`
/// first.
///
/// Parameters, helper attributes and return types are those of a function under [`macro@model`].
pub use pytriton_macros::infer;

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
/// fn send(served: &testing::Served, parameters: &str, x: f32) -> std::io::Result<String> {
///     let body = format!(
///         r#"{{"parameters":{{"sequence_id":5{parameters}}},
///             "inputs":[{{"name":"x","datatype":"FP32","shape":[1,1],"data":[{x}]}}]}}"#
///     );
///     let mut stream = TcpStream::connect(served.http())?;
///     let (path, length) = ("/v2/models/Sum/infer", body.len());
///     write!(stream, "POST {path} HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{body}")?;
///     let mut response = String::new();
///     stream.read_to_string(&mut response)?;
///     Ok(response)
/// }
///
/// # fn main() -> std::io::Result<()> {
/// let served = testing::serve_registered().unwrap();
/// assert!(send(&served, r#","sequence_start":true"#, 2.0)?.contains(r#""data":[2.0]"#));
/// assert!(send(&served, "", 3.0)?.contains(r#""data":[5.0]"#));
/// assert!(send(&served, r#","sequence_end":true"#, 4.0)?.contains(r#""data":[9.0]"#));
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

/// Warm-up calls that each instance makes before it accepts requests, so that the first client does
/// not wait for one-time work.
///
/// Place it below [`macro@model`], once for each kind of call. `count` (default 1) is the number of
/// calls, and `batch_size` (default 1) the number of rows per call. Each row is a separate request,
/// or a complete sequence for a sequence model. A call that would exceed `max_batch_cost` is split.
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
