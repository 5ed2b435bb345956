use super::SmallVec;

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
        if let Some(requested) = self.some.get_mut(output) {
            *requested = true;
        }
    }

    /// Returns the requested ones of all outputs that are not omitted, with their indices.
    pub(crate) fn select<T>(&self, outputs: SmallVec<Option<T>>) -> SmallVec<(usize, T)> {
        let mut index = 0..;
        outputs.filter_map(|output| {
            let index = index.next()?;
            Some((index, output?)).filter(|_| self.contains(index))
        })
    }

    /// Returns whether an output is requested.
    pub(crate) fn contains(&self, output: usize) -> bool {
        self.some.is_empty() || self.some.get(output).is_some_and(|requested| *requested)
    }
}
