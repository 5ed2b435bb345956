use prost::DecodeError;
use pytriton_core::memory_budget::MemoryBudgetError;
use thiserror::Error;

/// The maximum number of fields of a request message. An empty input takes two bytes in a message,
/// and three hundred in memory.
pub(super) const MAX_FIELDS: usize = 1 << 16;

/// Why a message was not decoded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BoundedError {
    /// The message has too many fields.
    #[error("the request has more than {MAX_FIELDS} fields and dimensions")]
    Fields,
    /// The memory of the decoded message cannot be reserved.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
    /// The bytes are not a valid message.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}
