/// The outputs of its model that a request asks for, by their index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Requested {
    /// Whether it asks for each; empty where it asks for all.
    some: Vec<bool>,
}

impl Requested {
    /// Asks for an output of a model of so many; before the first it asks for all.
    pub(crate) fn insert(&mut self, output: usize, outputs: usize) {
        if self.some.is_empty() {
            self.some = vec![false; outputs];
        }
        if let Some(asked) = self.some.get_mut(output) {
            *asked = true;
        }
    }

    /// Whether it asks for an output.
    pub(crate) fn contains(&self, output: usize) -> bool {
        self.some.is_empty() || self.some.get(output).is_some_and(|asked| *asked)
    }
}
