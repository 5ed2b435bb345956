//! Unique requests and their expected responses.

mod book;
mod client;
mod entry;
mod grpc;
mod model;

pub(crate) use book::{Book, Span};
pub(crate) use client::{Clients, Habit};
pub(crate) use entry::{Entry, Verdict};
pub(crate) use grpc::Grpc;
pub(crate) use model::{MODELS, Model};
