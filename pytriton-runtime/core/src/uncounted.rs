//! Memory that no budget limits.

/// Why memory is in no budget. A [`MemoryPermit`](crate::memory_budget::MemoryPermit) without a
/// budget needs one of these reasons. Memory in proportion to data of a client has none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncounted {
    /// Text of the server about itself: metadata, configurations, metrics, documentation and
    /// errors. Its size depends on the models and options only.
    ServerText,
    /// Inputs that this process creates itself: those of a warm-up, and those of calls from Python.
    /// Calls with a [`Call`](crate::model_call::Call) are counted.
    OwnInputs,
    /// Entries of a response cache, whose capacity limits them.
    ResponseCache,
    /// The engine has no budget: Triton's core holds the memory of its requests. Unit tests also
    /// call functions without a budget.
    NoBudget,
}
