use std::any::Any;
use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use super::{SharedState, StateType};

/// The states that a program shares with the functions of its models: at most one of each type.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
///
/// use pytriton_core::shared_state::SharedStates;
///
/// let mut states = SharedStates::default();
/// states.insert(Arc::new(7_u32)).unwrap();
/// assert_eq!(states.find::<u32>().map(|state| **state), Some(7));
/// assert!(states.find::<u64>().is_none());
/// assert!(states.insert(Arc::new(8_u32)).is_err());
/// ```
#[derive(Default)]
pub struct SharedStates {
    /// Each is an `Arc` of its type. A program has few states, so a linear search is fast.
    states: Vec<(StateType, Box<dyn Any + Send + Sync>)>,
}

/// The program provides two states of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the program provides two states of type `{ty}`: remove one, or give each a type of its own, such as `struct Other({ty})`"
)]
pub struct DuplicateState {
    ty: StateType,
}

impl SharedStates {
    /// Adds a state.
    ///
    /// # Errors
    ///
    /// Returns [`DuplicateState`] if there is a state of this type.
    pub fn insert<T: SharedState>(&mut self, state: Arc<T>) -> Result<(), DuplicateState> {
        let ty = StateType::of::<T>();
        if self.contains(ty) {
            return Err(DuplicateState { ty });
        }
        self.states.push((ty, Box::new(state)));
        Ok(())
    }

    /// Checks that the types differ.
    ///
    /// # Errors
    ///
    /// Returns [`DuplicateState`] for the first type that occurs twice.
    pub fn check_types(types: &[StateType]) -> Result<(), DuplicateState> {
        let is_second = |index: usize, ty| types[..index].contains(ty);
        let mut numbered = types.iter().enumerate();
        let duplicate = numbered.find(|(index, ty)| is_second(*index, ty));
        duplicate.map_or(Ok(()), |(_, &ty)| Err(DuplicateState { ty }))
    }

    /// Returns the state of a type.
    pub fn find<T: SharedState>(&self) -> Option<&Arc<T>> {
        let mut states = self.states.iter();
        states.find_map(|(_, state)| state.downcast_ref())
    }

    /// Returns whether there is a state of this type.
    pub fn contains(&self, ty: StateType) -> bool {
        self.types().any(|other| other == ty)
    }

    /// Returns the types of the states, in the order in which they were added.
    pub fn types(&self) -> impl Iterator<Item = StateType> {
        self.states.iter().map(|(ty, _)| *ty)
    }
}

impl fmt::Debug for SharedStates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.types()).finish()
    }
}
