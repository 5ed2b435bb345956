//! Finds the [`Error`](super::Error) that another error displays.
//!
//! A function may return every type that implements `Display`, also one that borrows from its
//! arguments, so there is no type to compare. An error displays what it contains.

use std::cell::Cell;
use std::fmt::{Display, Write};

use super::attributes::Attributes;

thread_local! {
    /// The attributes of the first [`Error`](super::Error) that has been displayed since this was
    /// last taken.
    static FIRST: Cell<Option<Attributes>> = const { Cell::new(None) };
}

/// Records that an error is being displayed.
pub(super) fn note(attributes: Attributes) {
    FIRST.set(FIRST.get().or(Some(attributes)));
}

/// Displays an error with its sources, and returns the attributes of the outermost
/// [`Error`](super::Error) in it.
pub(super) fn displayed(error: &dyn Display) -> (String, Option<Attributes>) {
    FIRST.set(None);
    let mut message = String::new();
    // Writing to a `String` cannot fail. If `Display` fails, the text ends there.
    let _ = write!(message, "{error:#}");
    (message, FIRST.take())
}
