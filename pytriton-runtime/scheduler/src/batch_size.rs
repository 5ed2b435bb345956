use pytriton_core::request::Request;

/// The size of a request or batch, in the units that a [`Policy`](crate::Policy) limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchSize {
    /// The number of rows.
    pub rows: usize,
    /// The sum of the [costs](Request::cost) of the requests.
    pub cost: u64,
}

impl BatchSize {
    /// Returns the size of a request.
    pub fn of(request: &Request) -> Self {
        Self {
            rows: request.batch_size(),
            cost: request.cost(),
        }
    }

    /// Returns the size of both together.
    #[must_use]
    pub fn saturating_add(self, other: Self) -> Self {
        Self {
            rows: self.rows.saturating_add(other.rows),
            cost: self.cost.saturating_add(other.cost),
        }
    }

    /// Returns the size without the other.
    #[must_use]
    pub fn saturating_sub(self, other: Self) -> Self {
        Self {
            rows: self.rows.saturating_sub(other.rows),
            cost: self.cost.saturating_sub(other.cost),
        }
    }
}
