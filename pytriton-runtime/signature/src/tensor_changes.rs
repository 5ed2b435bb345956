use crate::change::NONE;
use crate::{Change, ModelSignature, TensorSignature};

/// The direction of a tensor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    In,
    Out,
}

/// The tensors of one direction of two models.
pub(crate) struct Tensors<'a> {
    pub(crate) way: Way,
    pub(crate) expected: &'a [TensorSignature],
    pub(crate) expected_model: &'a ModelSignature,
    pub(crate) found: &'a [TensorSignature],
    pub(crate) found_model: &'a ModelSignature,
}

impl Tensors<'_> {
    pub(crate) fn changes(&self) -> Vec<Change> {
        let removed = || {
            self.expected
                .iter()
                .filter(|one| of(self.found, one).is_none())
        };
        let added = || {
            self.found
                .iter()
                .filter(|one| of(self.expected, one).is_none())
        };
        let mut changes = Vec::new();
        // A removed and an added tensor of the same type and dimensions count as renamed.
        let renamed = match (removed().count(), added().count()) {
            (1, 1) => removed().zip(added()).find(|(old, added)| {
                old.datatype == added.datatype
                    && old.dims == added.dims
                    && old.optional == added.optional
            }),
            _ => None,
        };
        for expected in self.expected {
            let change = match (of(self.found, expected), renamed) {
                (Some(found), _) => self.change(expected, found),
                (None, Some((_, added))) => Some(self.named(expected, Some(expected), Some(added))),
                (None, None) => Some(self.named(expected, Some(expected), None)),
            };
            changes.extend(change);
        }
        if renamed.is_none() {
            changes.extend(added().map(|added| self.named(added, None, Some(added))));
        }
        changes
    }

    /// Returns the difference of a tensor that exists on both sides.
    fn change(&self, expected: &TensorSignature, found: &TensorSignature) -> Option<Change> {
        let (wide, narrow) = match self.way {
            Way::In => (found, expected),
            Way::Out => (expected, found),
        };
        let fits = expected.datatype == found.datatype
            && takes(&wide.dims, &narrow.dims)
            && (wide.optional || !narrow.optional)
            // A server does not report that its model requires a single value.
            && (expected.first_value || !found.first_value);
        let mut change = self.named(expected, Some(expected), Some(found));
        if expected.first_value != found.first_value && !fits {
            change.found.push_str(", one value for all rows");
        }
        change.breaking = !fits;
        let same = expected.datatype == found.datatype
            && expected.dims == found.dims
            && expected.optional == found.optional;
        (!fits || !same).then_some(change)
    }

    fn named(
        &self,
        tensor: &TensorSignature,
        expected: Option<&TensorSignature>,
        found: Option<&TensorSignature>,
    ) -> Change {
        let kind = match self.way {
            Way::In => "input",
            Way::Out => "output",
        };
        let text = |model: &ModelSignature, one: Option<&TensorSignature>| {
            one.map_or_else(|| NONE.to_owned(), |one| model.text(one))
        };
        let mut found_text = text(self.found_model, found);
        if let Some(found) = found.filter(|found| found.name != tensor.name) {
            found_text = format!("{found_text} named `{}`", found.name);
        }
        Change {
            what: format!("{kind} `{}`", tensor.name),
            expected: text(self.expected_model, expected),
            found: found_text,
            breaking: match (expected, found) {
                (None, Some(new)) => self.way == Way::In && !new.optional,
                _ => true,
            },
        }
    }
}

/// Returns the tensor with the same name.
pub(crate) fn of<'a>(
    tensors: &'a [TensorSignature],
    one: &TensorSignature,
) -> Option<&'a TensorSignature> {
    tensors.iter().find(|other| other.name == one.name)
}

/// Returns whether every shape that matches `narrow` also matches `wide`.
fn takes(wide: &[i64], narrow: &[i64]) -> bool {
    let mut pairs = wide.iter().zip(narrow);
    wide.len() == narrow.len() && pairs.all(|(wide, narrow)| *wide == -1 || wide == narrow)
}
