//! The attribute that serves an ONNX file.

#[cfg(doc)]
use super::*;

/// Serves an ONNX file as a model: the inputs and outputs come from the file.
///
/// ```no_run
/// # mod binary {
/// #[pytriton::onnx("src/guide/affine.onnx", name = "Affine", max_batch_size = 32)]
/// struct Affine;
///
/// pytriton::main!();
/// # }
/// ```
///
/// The path is relative to the crate's `Cargo.toml`. The file becomes a part of the program, and
/// Cargo rebuilds the model when it changes. The crate needs the dependency `pytriton-onnx`, which
/// runs the network. All instances share one session.
///
/// The struct is the type of the model: [`Call<Affine>`](Call) and the typed clients take and
/// return arrays with the element types and ranks of the file. Its doc comment describes the model.
///
/// # Signature
///
/// | File | Model |
/// | --- | --- |
/// | input without an initialiser, output | input, output |
/// | axis 0 with the same name of a batch in all of them, which is no other axis's name | the batch axis |
/// | other dimension with a name | -1 |
/// | scalar, or a tensor with only the batch axis | dims `[1]` |
/// | `FLOAT`, `DOUBLE`, `FLOAT16`, integers, `BOOL` | `FP32` and so on, arrays of `f32` and so on |
///
/// ONNX can give a dimension a name instead of a size (`dim_param`). A name of a batch contains
/// `batch` or is `n` or `b`; case is ignored. The name is trusted: row `n` of each output must
/// depend only on row `n` of the inputs. Without such an axis 0, the model has no batching.
/// `batching = true` declares that axis 0 is the batch, whatever its names are.
///
/// A missing or invalid file, a value that is not a tensor, an element type without a datatype, an
/// unknown rank, more than 6 dimensions, 16 inputs or 8 outputs, and an invalid name are compile
/// errors.
///
/// # Options
///
/// Those of [`macro@model`], without `client` and the options of sequences.
pub use pytriton_macros::onnx;
