//! OpenAPI: the document that says of every route what it takes and what it answers, with a schema of its own for each model.
//! Pure.
//!
//! [`document`] makes it of what is declared of the models: their inputs by name with datatype, shape and elements, their
//! outputs likewise. (The room [`openai`](crate::openai) is another one: routes as OpenAI has them, which are in no document.)

mod components;
mod document;
mod doors;
mod elements;
mod extension;
mod generate;
mod infer;
mod model;
mod names;
mod paths;
mod server;
mod shared;
mod tensor;
#[cfg(test)]
mod tests;

pub(crate) use document::document;
pub(crate) use doors::Doors;
