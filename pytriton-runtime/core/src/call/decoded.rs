use std::any::Any;
use std::cell::{Cell, OnceCell};
use std::fmt;

/// The values in the first part of a list: most functions borrow fewer decoded inputs.
const FIRST_PART: usize = 4;

/// Values of any type. Some may still be missing.
type Values = Box<[OnceCell<Box<dyn Any>>]>;

/// Decoded inputs, from which a function borrows its arguments until its call ends. Most calls have
/// none: their arguments are views of the inputs.
///
/// A value never moves, so that it can be borrowed while others are added. Therefore the list does
/// not grow in place: its rest is another list with twice as many values, so that adding a value
/// passes few parts.
#[derive(Default)]
pub(super) struct DecodedInputs {
    values: OnceCell<Values>,
    used: Cell<usize>,
    rest: OnceCell<Box<Self>>,
}

impl DecodedInputs {
    /// Adds a value. `None` never occurs, because the type of the value is known.
    pub(super) fn add<T: Any>(&self, value: T) -> Option<&T> {
        let (mut part, mut size) = (self, FIRST_PART);
        loop {
            let values = part.values.get_or_init(|| empty(size));
            let used = part.used.get();
            if let Some(place) = values.get(used) {
                part.used.set(used + 1);
                return place.get_or_init(|| Box::new(value)).downcast_ref();
            }
            part = part.rest.get_or_init(Box::default);
            size *= 2;
        }
    }
}

fn empty(size: usize) -> Values {
    (0..size).map(|_| OnceCell::new()).collect()
}

impl fmt::Debug for DecodedInputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodedInputs").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If the time for a value depended on their number, this would take minutes.
    #[test]
    fn many_values_are_added_and_dropped() {
        let decoded = DecodedInputs::default();
        let values = (0..500_000_u32).map(|number| decoded.add(number).unwrap());
        let values: Vec<&u32> = values.collect();
        assert!(values.into_iter().copied().eq(0..500_000));
    }

    #[test]
    fn values_stay_borrowed_while_others_are_added() {
        let decoded = DecodedInputs::default();
        let words = decoded.add(vec!["a".to_owned()]).unwrap();
        let number = decoded.add(7_u8).unwrap();
        let others = decoded.add(vec!["b".to_owned(), "c".to_owned()]).unwrap();
        assert_eq!(
            (words.len(), *number, &*others[1], &*words[0]),
            (1, 7, "c", "a")
        );
    }
}
