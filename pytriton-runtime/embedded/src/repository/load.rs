/// The load of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// The number of waiting requests.
    pub waiting: u64,
    /// The number of requests that are being executed.
    pub running: u64,
    /// The number of rows that can be executed concurrently.
    pub capacity: u64,
}

impl Load {
    /// Returns the ratio of requests to capacity. Above 1, requests wait.
    pub fn utilization(&self) -> f64 {
        (self.waiting + self.running) as f64 / self.capacity.max(1) as f64
    }
}
