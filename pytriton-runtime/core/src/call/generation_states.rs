use std::collections::HashMap;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::request::{Ended, Generation};

use super::sequence_entry::{SequenceEntry, State};

/// The states of sequences whose ends are reported, by generation number.
#[derive(Debug, Default)]
pub(super) struct GenerationStates {
    entries: HashMap<u64, SequenceEntry>,
    ended: Arc<Ended>,
}

impl GenerationStates {
    pub(super) fn take(&mut self, generation: &Generation) -> Option<SequenceEntry> {
        self.entries.remove(&generation.number())
    }

    /// Keeps a state until the generation ends. Returns the previous one.
    pub(super) fn keep(
        &mut self,
        generation: &Generation,
        entry: SequenceEntry,
    ) -> Option<SequenceEntry> {
        generation.report_end_to(&self.ended);
        self.entries.insert(generation.number(), entry)
    }

    /// Removes and returns the states of ended generations.
    pub(super) fn take_ended(&mut self) -> Vec<State> {
        let ended = self.ended.take();
        self.remove(ended)
    }

    /// Like [`take_ended`](Self::take_ended), but waits for at least one.
    pub(super) fn poll_ended(&mut self, task: &Context<'_>) -> Poll<Vec<State>> {
        let ended = self.ended.poll(task);
        ended.map(|ended| self.remove(ended))
    }

    fn remove(&mut self, ended: Vec<u64>) -> Vec<State> {
        let removed = ended
            .into_iter()
            .filter_map(|number| self.entries.remove(&number));
        removed.filter_map(SequenceEntry::state).collect()
    }

    /// Removes and returns all states.
    pub(super) fn clear(&mut self) -> impl Iterator<Item = State> + use<> {
        let entries = std::mem::take(&mut self.entries).into_values();
        entries.filter_map(SequenceEntry::state)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn state(number: i32) -> SequenceEntry {
        SequenceEntry::State(Box::new(number))
    }

    fn number(state: &State) -> i32 {
        *state.downcast_ref().unwrap()
    }

    #[test]
    fn state_is_kept_until_its_generation_is_dropped() {
        let mut states = GenerationStates::default();
        let [one, two] = [1, 2].map(Generation::new);
        assert!(states.keep(&one, state(1)).is_none());
        assert!(states.keep(&two, state(2)).is_none());
        let other = Arc::clone(&one);
        drop(one);
        assert!(states.take_ended().is_empty());
        drop(two);
        let ended = states.take_ended();
        assert_eq!(ended.iter().map(number).collect::<Vec<_>>(), [2]);
        // A state that a call holds is not here, and is not kept if its generation ended meanwhile.
        assert!(states.take(&other).is_some());
        assert!(states.keep(&other, state(3)).is_none());
        let before = states.keep(&other, state(4)).and_then(SequenceEntry::state);
        assert_eq!(before.as_ref().map(number), Some(3));
        drop(other);
        assert_eq!(
            states.take_ended().iter().map(number).collect::<Vec<_>>(),
            [4]
        );
        assert!(states.entries.is_empty());
    }

    #[tokio::test]
    async fn end_of_a_generation_wakes_the_task() {
        let mut states = GenerationStates::default();
        let generation = Generation::new(7);
        states.keep(&generation, state(5));
        let mut ended = std::future::poll_fn(|task| states.poll_ended(task));
        assert!((&mut ended).now_or_never().is_none());
        let (state, ()) = tokio::join!(&mut ended, async { drop(generation) });
        assert_eq!(state.iter().map(number).collect::<Vec<_>>(), [5]);
        assert_eq!(states.clear().count(), 0);
    }
}
