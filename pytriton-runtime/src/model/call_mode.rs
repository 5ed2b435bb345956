/// What one call of the function sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallMode {
    /// The whole batch, stacked along axis 0 (`#[batch]`).
    Batch,
    /// One request (no helper attribute, or `#[sample]`).
    Request,
    /// The requests of the batch as they are (`&[Request]`).
    Raw,
}

/// `#[first_value]`: an input that is one value for the whole call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstValue {
    /// The index of the input.
    pub input: usize,
    /// Whether rows that differ are an error.
    pub strict: bool,
}
