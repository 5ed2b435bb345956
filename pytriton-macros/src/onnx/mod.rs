//! `#[onnx]`: reads the file, writes the model as an `impl` block, and expands that as `#[model]`.

mod block;
mod expand;
mod file;
mod network;
#[cfg(test)]
mod tests;

pub(crate) use expand::expand;
