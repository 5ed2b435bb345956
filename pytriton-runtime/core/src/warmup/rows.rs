use bytes::Bytes;

/// The rows of an input: their shape without the batch axis, and the bytes of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rows {
    pub(super) dims: Vec<usize>,
    /// At least one; they are repeated cyclically.
    pub(super) rows: Vec<Bytes>,
}

impl Rows {
    /// Creates identical rows from one.
    pub(super) fn of(dims: Vec<usize>, row: impl Into<Bytes>) -> Self {
        Self {
            dims,
            rows: vec![row.into()],
        }
    }

    /// Returns the row for a request.
    pub(super) fn row(&self, request: usize) -> Bytes {
        let rows = self.rows.len().max(1);
        self.rows.get(request % rows).cloned().unwrap_or_default()
    }
}
