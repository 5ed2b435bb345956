/// What one call of a function sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallMode {
    /// The whole batch, stacked along axis 0 (`#[batch]`).
    Batch,
    /// One request (no helper attribute, or `#[sample]`).
    Request,
    /// The requests of the batch as they are (`&[Request]`).
    Raw,
}

/// One step between a batch of requests and the function's arguments.
///
/// The macro writes the steps of a model in this order and refuses any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// One call for each run of requests with the same parameters, for functions that take `&Parameters`.
    GroupByParameters,
    /// Input `input` becomes its first row, or a scalar when the function takes one (`#[first_value]`).
    FirstValue {
        /// The index of the input.
        input: usize,
        /// Whether rows that differ are an error.
        strict: bool,
    },
}
