use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use serde::de::Error;
use thiserror::Error as ThisError;

use super::{Bounded, CollectionError};

/// Shorter texts are parsed without inspecting their structure first.
const SHORT_BYTES: usize = 4 << 10;

/// Lists of objects, and the objects in them, are at most this deep. Values below are not parsed,
/// only their end is found.
const PARSED_DEPTH: usize = 2;

/// The memory for parsing one JSON text, which is reserved before it is allocated.
#[derive(Debug)]
pub(crate) struct Bounds<'p> {
    pub(crate) permit: &'p mut MemoryPermit,
    /// The error of the reservation. Parsers can only return messages.
    refused: Option<MemoryBudgetError>,
}

/// Why a text could not be parsed.
#[derive(Debug, ThisError)]
pub(crate) enum ReadError {
    /// The text is invalid.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The memory for the result cannot be reserved.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
}

impl From<CollectionError> for ReadError {
    fn from(error: CollectionError) -> Self {
        match error {
            CollectionError::Full(full) => Self::Json(Error::custom(full)),
            CollectionError::Budget(error) => Self::Budget(error),
        }
    }
}

impl<'p> Bounds<'p> {
    /// Reserves the memory that a parser needs to find the end of `text`. `permit` is also used for
    /// the results.
    pub(crate) fn new(text: &str, permit: &'p mut MemoryPermit) -> Result<Self, MemoryBudgetError> {
        permit.grow(parser_bytes(text))?;
        Ok(Self {
            permit,
            refused: None,
        })
    }

    /// Appends an item to a list.
    pub(crate) fn push<T, E: Error>(
        &mut self,
        list: &mut Bounded<Vec<T>>,
        item: T,
    ) -> Result<(), E> {
        list.push(item, self.permit).map_err(|error| {
            if let CollectionError::Budget(refused) = error {
                self.refused = Some(refused);
            }
            E::custom(error)
        })
    }

    /// Reserves memory.
    pub(crate) fn reserve<E: Error>(&mut self, bytes: usize) -> Result<(), E> {
        self.permit.grow(bytes).map_err(|error| {
            self.refused = Some(error);
            E::custom(error)
        })
    }

    /// Returns the error of a parser that used these bounds.
    pub(crate) fn error(&self, error: serde_json::Error) -> ReadError {
        match self.refused {
            Some(refused) => refused.into(),
            None => error.into(),
        }
    }
}

/// Returns the memory that a parser allocates to find the end of a text. It pushes a byte for each
/// open bracket, and copies member names that contain escapes. Both grow by doubling. A name that
/// is kept is copied once more.
///
/// A name is copied before its colon is found to be missing, so every string at the position of a
/// name counts. A string in place of a list or object is copied before its type is found to be
/// wrong, if it contains escapes.
fn parser_bytes(text: &str) -> usize {
    if text.len() < SHORT_BYTES {
        return 0;
    }
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut most) = (0, 0_usize, 0);
    // One bit for each open bracket, the innermost last: whether it opens an object. The parser
    // refuses more than 128 levels.
    let mut objects = 0_u128;
    let mut name_expected = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let string = &bytes[at..];
                let string = &string[..super::string_length(string)];
                let copied = depth <= PARSED_DEPTH && string.contains(&b'\\');
                if name_expected || copied {
                    most = most.max(string.len());
                }
                at += string.len();
                name_expected = false;
                continue;
            }
            b'[' | b'{' => {
                name_expected = *byte == b'{';
                objects = objects << 1 | u128::from(name_expected);
                depth += 1;
                most = most.max(depth);
            }
            b']' | b'}' => {
                objects >>= 1;
                depth = depth.saturating_sub(1);
                name_expected = false;
            }
            b',' => name_expected = objects & 1 == 1,
            _ => {}
        }
        at += 1;
    }
    4 * most
}

#[cfg(test)]
mod tests {
    use pytriton_core::memory_budget::MemoryBudget;

    use super::super::Limit;
    use super::*;

    #[test]
    fn parser_memory_covers_nesting_and_the_longest_name() {
        let padding = " ".repeat(SHORT_BYTES);
        let long = "n".repeat(100);
        let table = [
            ("[]".to_owned(), 1),
            ("[[],[[]]]".to_owned(), 3),
            (format!(r#"{{"a":["[[[[[[\"{{{{"],"b":"{long}"}}"#), 12),
            (format!(r#"{{"{long}" : 1}}"#), 102),
            (format!(r#"["{long}"]"#), 1),
            ("[".repeat(200), 200),
            (format!("\"{long}"), 0),
            (format!(r#"{{"{long}"#), 100 + 1 + SHORT_BYTES),
            (format!(r#"{{"{long}","#), 102),
            (format!(r#"{{"a":[1,"{long}"],"b":"{long}"}}"#), 3),
            (format!(r#"{{"a":[{{}}],"{long}"]"#), 102),
            (format!(r#"[{{"a":1}},"{long}"]"#), 3),
            (format!(r#"{{"a":"\n{long}"}}"#), 104),
            (format!(r#"{{"a":["\n{long}"]}}"#), 104),
            (format!(r#"{{"a":[{{"b":"\n{long}"}}]}}"#), 3),
        ];
        for (text, expected) in table {
            assert_eq!(parser_bytes(&text), 0);
            assert_eq!(
                parser_bytes(&(text.clone() + &padding)),
                4 * expected,
                "{text}"
            );
        }
    }

    #[test]
    fn refused_reservation_becomes_the_parser_error() {
        let budget = MemoryBudget::new(10_000);
        let mut permit = budget.empty_permit();
        let mut bounds = Bounds::new("", &mut permit).unwrap();
        let error = bounds.reserve::<serde_json::Error>(10_001).unwrap_err();
        assert!(matches!(bounds.error(error), ReadError::Budget(error) if error.bytes == 10_001));
        let mut bounds = Bounds::new("", &mut permit).unwrap();
        let mut list = Bounded::<Vec<_>>::new(Limit::new(1, "items"));
        let error = bounds.push::<_, serde_json::Error>(&mut list, [0_u8; 10_001]);
        let error = bounds.error(error.unwrap_err());
        assert!(matches!(error, ReadError::Budget(error) if error.bytes == 10_001));
    }
}
