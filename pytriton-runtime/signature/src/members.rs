use crate::LockError;
use crate::json::{Kind, Value};

/// The members of an object, which are removed as they are read.
pub(crate) struct Members {
    pub(crate) line: usize,
    members: Vec<(String, Value)>,
}

impl Members {
    pub(crate) fn of(value: Value) -> Result<Self, LockError> {
        let line = value.line;
        match value.kind {
            Kind::Object(members) => Ok(Self { line, members }),
            _ => Err(LockError::new(line, "expected an object")),
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        let index = self.members.iter().position(|(other, _)| other == name)?;
        Some(self.members.remove(index).1)
    }

    fn must(&mut self, name: &str) -> Result<Value, LockError> {
        let missing = LockError::new(self.line, format!("`{name}` is missing"));
        self.take(name).ok_or(missing)
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<String, LockError> {
        match self.must(name)? {
            Value {
                kind: Kind::Text(text),
                ..
            } => Ok(text),
            other => Err(wrong(name, "a text", &other)),
        }
    }

    pub(crate) fn number(&mut self, name: &str) -> Result<i64, LockError> {
        match self.must(name)? {
            Value {
                kind: Kind::Number(number),
                ..
            } => Ok(number),
            other => Err(wrong(name, "a number", &other)),
        }
    }

    /// Reads a non-negative number.
    pub(crate) fn size(&mut self, name: &str) -> Result<u32, LockError> {
        let number = self.number(name)?;
        let wrong = |_| LockError::new(self.line, format!("`{name}` cannot be {number}"));
        u32::try_from(number).map_err(wrong)
    }

    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, LockError> {
        match self.must(name)? {
            Value {
                kind: Kind::Bool(flag),
                ..
            } => Ok(flag),
            other => Err(wrong(name, "`true` or `false`", &other)),
        }
    }

    /// Reads a boolean that may be missing.
    pub(crate) fn flag_if(&mut self, name: &str) -> Result<bool, LockError> {
        match self.members.iter().any(|(other, _)| other == name) {
            true => self.flag(name),
            false => Ok(false),
        }
    }

    pub(crate) fn list<T>(
        &mut self,
        name: &str,
        item: impl FnMut(Value) -> Result<T, LockError>,
    ) -> Result<Vec<T>, LockError> {
        match self.must(name)? {
            Value {
                kind: Kind::List(items),
                ..
            } => items.into_iter().map(item).collect(),
            other => Err(wrong(name, "a list", &other)),
        }
    }

    /// Rejects unknown members, which may be misspelt or have a meaning in a later version.
    pub(crate) fn end(self) -> Result<(), LockError> {
        match self.members.first() {
            None => Ok(()),
            Some((name, value)) => {
                let message = format!("`{name}` is unknown");
                Err(LockError::new(value.line, message))
            }
        }
    }
}

fn wrong(name: &str, expected: &str, value: &Value) -> LockError {
    LockError::new(value.line, format!("`{name}`: expected {expected}"))
}
