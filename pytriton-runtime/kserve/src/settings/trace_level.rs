/// The kinds of events that are recorded of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TraceLevel {
    /// The times at which it reaches each stage.
    pub timestamps: bool,
    /// Its tensors.
    pub tensors: bool,
}

impl TraceLevel {
    /// Returns whether nothing is recorded.
    pub fn is_off(self) -> bool {
        self == Self::default()
    }

    /// Returns the names as clients write them.
    pub fn names(self) -> Vec<&'static str> {
        let levels = [(self.timestamps, "TIMESTAMPS"), (self.tensors, "TENSORS")];
        match self.is_off() {
            true => vec!["OFF"],
            false => levels
                .into_iter()
                .filter_map(|(on, name)| on.then_some(name))
                .collect(),
        }
    }
}
