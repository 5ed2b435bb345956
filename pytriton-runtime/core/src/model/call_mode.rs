/// The unit that one call of the function processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallMode {
    /// The whole batch, stacked along axis 0 (`#[batch]`).
    Batch,
    /// One request (no helper attribute, or `#[sample]`).
    Request,
    /// The raw requests of the batch (`&[Request]`).
    Raw,
}

/// `#[first_value]`: an input with one value for the whole call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstValue {
    /// The index of the input.
    pub input: usize,
    /// Whether different rows are an error.
    pub strict: bool,
}
