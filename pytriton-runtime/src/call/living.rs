use std::collections::HashMap;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::request::{Ended, Generation};

use super::states::{Kept, State};

/// The states of sequences whose ends are reported, by generation number.
#[derive(Debug, Default)]
pub(super) struct Living {
    kept: HashMap<u64, Kept>,
    ended: Arc<Ended>,
}

impl Living {
    pub(super) fn take(&mut self, generation: &Generation) -> Option<Kept> {
        self.kept.remove(&generation.number())
    }

    /// Keeps a state until the generation ends. Returns the previous one.
    pub(super) fn keep(&mut self, generation: &Generation, kept: Kept) -> Option<Kept> {
        generation.tell(&self.ended);
        self.kept.insert(generation.number(), kept)
    }

    /// Removes and returns the states of ended generations.
    pub(super) fn over(&mut self) -> Vec<State> {
        let ended = self.ended.take();
        self.take_out(ended)
    }

    /// Like [`over`](Self::over), but waits for at least one.
    pub(super) fn poll_over(&mut self, task: &Context<'_>) -> Poll<Vec<State>> {
        let ended = self.ended.poll(task);
        ended.map(|ended| self.take_out(ended))
    }

    fn take_out(&mut self, ended: Vec<u64>) -> Vec<State> {
        let kept = ended
            .into_iter()
            .filter_map(|number| self.kept.remove(&number));
        kept.filter_map(Kept::state).collect()
    }

    /// Removes and returns all states.
    #[cfg(any(tritonserver, test))]
    pub(super) fn clear(&mut self) -> impl Iterator<Item = State> + use<> {
        let kept = std::mem::take(&mut self.kept).into_values();
        kept.filter_map(Kept::state)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn state(number: i32) -> Kept {
        Kept::State(Box::new(number))
    }

    fn number(state: &State) -> i32 {
        *state.downcast_ref().unwrap()
    }

    #[test]
    fn a_state_is_kept_as_long_as_its_generation_is_held() {
        let mut living = Living::default();
        let [one, two] = [1, 2].map(Generation::new);
        assert!(living.keep(&one, state(1)).is_none());
        assert!(living.keep(&two, state(2)).is_none());
        let other = Arc::clone(&one);
        drop(one);
        assert!(living.over().is_empty());
        drop(two);
        let over = living.over();
        assert_eq!(over.iter().map(number).collect::<Vec<_>>(), [2]);
        // A state that a call holds is not here, and is not kept if its generation ended meanwhile.
        assert!(living.take(&other).is_some());
        assert!(living.keep(&other, state(3)).is_none());
        let before = living.keep(&other, state(4)).and_then(Kept::state);
        assert_eq!(before.as_ref().map(number), Some(3));
        drop(other);
        assert_eq!(living.over().iter().map(number).collect::<Vec<_>>(), [4]);
        assert!(living.kept.is_empty());
    }

    #[tokio::test]
    async fn whoever_waits_hears_of_an_end() {
        let mut living = Living::default();
        let generation = Generation::new(7);
        living.keep(&generation, state(5));
        let mut over = std::future::poll_fn(|task| living.poll_over(task));
        assert!((&mut over).now_or_never().is_none());
        let (state, ()) = tokio::join!(&mut over, async { drop(generation) });
        assert_eq!(state.iter().map(number).collect::<Vec<_>>(), [5]);
        assert_eq!(living.clear().count(), 0);
    }
}
