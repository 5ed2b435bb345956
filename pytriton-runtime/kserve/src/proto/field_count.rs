use super::bounded_error::{BoundedError, MAX_FIELDS};

/// The number of fields of a request message: those of the message itself, of nested messages that
/// can repeat, and the dimensions in packed fields.
///
/// This is the only limit on the number of values in a message. It is checked before prost decodes
/// the message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FieldCount(usize);

impl FieldCount {
    /// Counts `fields` more.
    pub(super) fn add(&mut self, fields: usize) {
        self.0 = self.0.saturating_add(fields);
    }

    /// Returns the number of fields.
    ///
    /// # Errors
    ///
    /// Returns [`BoundedError::Fields`] if there are more than [`MAX_FIELDS`].
    pub(super) fn within_limit(self) -> Result<usize, BoundedError> {
        match self.0 <= MAX_FIELDS {
            true => Ok(self.0),
            false => Err(BoundedError::Fields),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_fields_as_the_limit_are_accepted() {
        for (counts, expected) in [
            (&[][..], Ok(0)),
            (&[1, 2], Ok(3)),
            (&[MAX_FIELDS - 1, 1], Ok(MAX_FIELDS)),
            (&[MAX_FIELDS, 1], Err(BoundedError::Fields)),
            (&[usize::MAX, 1], Err(BoundedError::Fields)),
        ] {
            let mut count = FieldCount::default();
            counts.iter().for_each(|fields| count.add(*fields));
            assert_eq!(count.within_limit(), expected, "{counts:?}");
        }
    }
}
