//! Inputs and outputs: names, dimensions and values.

#[cfg(doc)]
use super::*;

/// Derives inputs of a model from a struct: each field is an input, as if it were a parameter.
///
/// The fields have the types of parameters: arrays, [`Ragged`], an `Option` of these,
/// `Vec<String>`, or a single value under [`macro@first_value`].
/// `#[input(name = "…", shape = […], example = …)]` on a field has the same options as
/// [`macro@input`] on a parameter, and a doc comment is the description of the input. The other
/// parameters of the function are as usual, and may be further structs.
///
/// A struct that borrows arrays has a lifetime. `#[input(crate = my::pytriton)]` on the struct sets
/// the path of this crate.
///
/// A model that takes such a struct has no typed client: `client = …` is an error, and other models
/// cannot call it with `Call<M>`.
///
/// ```
/// use pytriton::prelude::*;
///
/// #[derive(pytriton::Inputs)]
/// struct Sample<'a> {
///     /// Gray pixels.
///     image: ArrayView3<'a, u8>,
///     #[input(name = "TOP_K")]
///     top_k: Option<ArrayView2<'a, i32>>,
///     title: Array2<String>,
/// }
///
/// #[pytriton::model(name = "Classify", max_batch_size = 8)]
/// #[batch]
/// fn classify(sample: Sample, #[first_value] threshold: f32) -> Array2<f32> {
///     assert_eq!(sample.image.len_of(Axis(0)), sample.title.nrows());
///     let classes = sample.top_k.map_or(1, |top_k| top_k[[0, 0]]) as usize;
///     Array2::from_elem((sample.title.nrows(), classes), threshold)
/// }
/// ```
pub use pytriton_macros::Inputs;

/// Derives the outputs of a model from a struct of arrays, named after its fields. A field may be an
/// `Option` of an array.
///
/// `#[output(name = "…", shape = […], labels = "…")]` on a field sets another name, the dimensions
/// without the batch axis, or the labels, as [`output`](macro@output) does. `#[output(crate =
/// my::pytriton)]` on the struct sets the path of this crate.
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
/// `labels = "no\nyes"` or `labels = include_str!("…")` sets the labels for clients that request
/// classes: one line for each element of the output without the batch axis. A line may be empty.
/// Outputs of `BOOL`, `FP16`, `BF16` and `BYTES` have no classes.
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

/// On a parameter under [`macro@batch`]: passes the first row of the input instead of all rows.
///
/// A scalar parameter receives the single element of the row. An array parameter receives the row
/// without the batch axis. Unless `strict = false`, different rows within a request are an error,
/// and requests with different values are executed one by one. `squeeze = true` is allowed on a
/// scalar and has no effect; arrays are never squeezed.
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
