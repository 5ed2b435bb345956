//! The JSON codec of KServe v2: decodes the bodies of requests, and encodes those of responses.
//!
//! A JSON request is first parsed for its structure ([`decode_request`]). The data of its inputs
//! stays text until the element type is known, and is then parsed into typed elements. Binary data
//! is sliced, never copied.

mod classification;
mod common_form;
mod cursor;
pub(crate) mod data;
mod decimal;
mod document;
pub(crate) mod elements;
mod envelope;
mod error_json;
mod gpu_handle;
mod header;
mod index;
mod input;
mod load;
pub(crate) mod log_settings;
pub(crate) mod member;
mod metadata;
mod output;
pub(crate) mod parameter;
mod raw;
mod region;
mod registration;
mod request;
mod response;
mod response_writer;
mod statistics;
#[cfg(test)]
mod tests;
pub(crate) mod trace_settings;

pub use classification::classify;
pub use error_json::error_json;
pub use gpu_handle::GpuHandle;
pub use header::{HEADER_LENGTH, header_length};
pub use index::{IndexLine, decode_index_request, index_json};
pub use load::{LoadParameterError, LoadParameters, decode_load_request};
pub use log_settings::{change_log, log_settings_json};
pub use metadata::*;
pub use raw::decode_raw_request;
pub use registration::{Registration, region_json, regions_json};
pub use request::decode_request;
pub use response::{EncodedResponse, ResponseFormat};
pub use response_writer::ResponseWriter;
pub use statistics::*;
pub use trace_settings::{trace_changes, trace_settings_json, unknown_model};
