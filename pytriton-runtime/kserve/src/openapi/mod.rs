//! OpenAPI: a document of all routes, with separate schemas for each model. Pure.
//!
//! [`document()`] derives it from the declared models: inputs and outputs by name, with datatype,
//! shape and elements. (The module [`openai`](crate::openai) is unrelated: the OpenAI routes are
//! not part of the document.)

mod components;
mod document;
mod elements;
mod extension;
mod generate;
mod infer;
mod model;
mod names;
mod paths;
mod served_routes;
mod server;
mod shared;
mod tensor;
#[cfg(test)]
mod tests;

pub use document::document;
pub use served_routes::ServedRoutes;
