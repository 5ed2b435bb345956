//! The results of a [`Call`].

#[cfg(doc)]
use crate::Call;

pub use pytriton_runtime::model_call::{CallResponses, PendingCall};
