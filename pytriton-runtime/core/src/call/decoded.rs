use std::any::Any;
use std::cell::OnceCell;
use std::fmt;

/// Decoded inputs, from which a function borrows its arguments until its call ends. Most calls have
/// none: their arguments are views of the inputs.
#[derive(Default)]
pub(super) struct DecodedInputs(OnceCell<Box<Decoded<dyn Any>>>);

/// A value of a list. A value never moves, so that it can be borrowed while others are added.
struct Decoded<T: ?Sized> {
    rest: DecodedInputs,
    value: T,
}

impl DecodedInputs {
    /// Adds a value. `None` never occurs, because the type of the value is known.
    pub(super) fn add<T: Any>(&self, value: T) -> Option<&T> {
        let mut list = self;
        while let Some(decoded) = list.0.get() {
            list = &decoded.rest;
        }
        let rest = Self::default();
        let decoded = list.0.get_or_init(|| Box::new(Decoded { rest, value }));
        decoded.value.downcast_ref()
    }
}

impl Drop for DecodedInputs {
    /// Drops one value after the other: dropping a long list recursively overflows the stack.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut decoded) = next {
            next = decoded.rest.0.take();
        }
    }
}

impl fmt::Debug for DecodedInputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodedInputs").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_list_is_dropped() {
        let mut list = DecodedInputs::default();
        for number in 0..100_000_u32 {
            let value = Box::new(Decoded {
                rest: list,
                value: number,
            });
            list = DecodedInputs(OnceCell::from(value as Box<Decoded<dyn Any>>));
        }
        drop(list);
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
