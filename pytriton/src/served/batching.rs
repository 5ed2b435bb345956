//! How a call processes the rows of a batch.

#[cfg(doc)]
use super::*;

/// Calls the function once for the whole batch: the rows of its requests are stacked along axis 0.
///
/// Place it below [`macro@model`]; requires batching. The outputs must have as many rows as the
/// inputs. Requests share a batch if their inputs have the same dimensions after axis 0. A
/// [`Ragged`] input has rows of different lengths instead.
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
/// use pytriton::decorators::ConstantPadder;
/// use pytriton::prelude::*;
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

/// Names the input whose elements are the cost of a request, for the option `max_batch_cost`. Needs
/// [`macro@batch`], or `&[Request]`.
///
/// The cost of a request is the number of elements of the input in all its rows. If the datatype of
/// the input is `BYTES`, it is the number of bytes of these elements. A request that omits an
/// optional input costs nothing. A batch costs as much as its requests together.
///
/// A request joins a batch only if the cost of the batch does not exceed `max_batch_cost`. A
/// request that exceeds it alone is executed separately, not refused. To refuse it, return an
/// [`Error`](crate::Error) of the kind [`InvalidArgument`](crate::ErrorKind::InvalidArgument).
///
/// With the tritonserver engine, Triton forms batches without regard to their cost. The worker
/// splits such a batch into several calls within the limit. Their responses are sent after the last
/// call, except those of streams.
///
/// [`macro@pad_batch`] and [`macro@fill_optionals`] add elements after the limit has been applied.
/// The former cannot be combined with `cost`, and the latter cannot fill the input. What other steps
/// or the function itself add is not counted.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Embed", max_batch_size = 32, max_batch_cost = 16384)]
/// #[batch]
/// #[cost(tokens)]
/// fn embed(tokens: ArrayView2<i64>) -> Array2<f32> {
///     assert!(tokens.len() <= 16384 || tokens.nrows() == 1);
///     tokens.mapv(|token| token as f32)
/// }
/// ```
pub use pytriton_macros::cost;

/// Adds a custom step: a value of a type that implements [`Step`]. Place it below [`macro@batch`].
///
/// Steps wrap the function in the order in which they are written.
///
/// ```
/// use pytriton::Error;
/// use pytriton::decorators::{Batch, Groups, Step};
/// use pytriton::prelude::*;
///
/// /// Limits the rows of a call.
/// #[derive(Debug)]
/// struct AtMost {
///     rows: usize,
/// }
///
/// impl Step for AtMost {
///     fn cut(&self, batch: &Batch<'_>) -> Result<Groups, Error> {
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
