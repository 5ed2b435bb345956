/// How busy a model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Requests that wait.
    pub waiting: u64,
    /// Requests that are being executed.
    pub running: u64,
    /// Rows that can be executed at a time.
    pub capacity: u64,
}

impl Load {
    /// How much of what can be executed at a time has come; above 1 the rest waits.
    pub fn utilization(&self) -> f64 {
        (self.waiting + self.running) as f64 / self.capacity.max(1) as f64
    }
}
