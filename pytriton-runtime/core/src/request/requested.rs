/// The requested outputs, by index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requested {
    /// Whether each output is requested. Empty if all are requested.
    some: Vec<bool>,
}

impl Requested {
    /// Adds an output of a model with `outputs` outputs. Before the first call, all are requested.
    pub fn insert(&mut self, output: usize, outputs: usize) {
        if self.some.is_empty() {
            self.some = vec![false; outputs];
        }
        if let Some(asked) = self.some.get_mut(output) {
            *asked = true;
        }
    }

    /// Returns whether an output is requested.
    pub(crate) fn contains(&self, output: usize) -> bool {
        self.some.is_empty() || self.some.get(output).is_some_and(|asked| *asked)
    }
}
