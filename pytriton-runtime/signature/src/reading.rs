use std::collections::HashSet;

use crate::json::{self, Kind, Value};
use crate::lock_file::FORMAT;
use crate::members::Members;
use crate::{LockError, LockFile, ModelSignature, TensorSignature};

impl LockFile {
    /// Parses a file.
    ///
    /// # Errors
    ///
    /// Returns a [`LockError`] if the text is not a lock file, or has a later format version.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let mut file = Members::of(json::parse(text)?)?;
        let format = file.number("format")?;
        if format != FORMAT {
            let message = format!(
                "format {format} is not supported, only {FORMAT}: rewrite the file, or use the version of pytriton that wrote it"
            );
            return Err(LockError::new(file.line, message));
        }
        let models = distinct(file.list("models", model)?)?;
        file.end()?;
        Ok(Self { models })
    }
}

/// Removes the lines from the items of a list, and checks that their names are unique.
fn distinct<T: Named>(list: Vec<(usize, T)>) -> Result<Vec<T>, LockError> {
    let mut names = HashSet::new();
    for (line, item) in &list {
        let name = item.unique();
        if !names.insert(name.clone()) {
            return Err(LockError::new(*line, format!("{name} occurs twice")));
        }
    }
    Ok(list.into_iter().map(|(_, item)| item).collect())
}

/// An item with a unique name.
trait Named {
    fn unique(&self) -> String;
}

impl Named for TensorSignature {
    fn unique(&self) -> String {
        format!("`{}`", self.name)
    }
}

impl Named for (u32, ModelSignature) {
    fn unique(&self) -> String {
        format!("`{}` of version {}", self.1.name, self.0)
    }
}

fn model(value: Value) -> Result<(usize, (u32, ModelSignature)), LockError> {
    let mut members = Members::of(value)?;
    let line = members.line;
    let name = members.text("name")?;
    let version = members.size("version")?;
    let max_batch_size = members.size("max_batch_size")?;
    let mut model = ModelSignature::new(&name, max_batch_size, members.flag("decoupled")?);
    model.sequences = members.flag_if("sequences")?;
    model.inputs = distinct(members.list("inputs", tensor)?)?;
    model.outputs = distinct(members.list("outputs", tensor)?)?;
    members.end()?;
    Ok((line, (version, model)))
}

fn tensor(value: Value) -> Result<(usize, TensorSignature), LockError> {
    let mut members = Members::of(value)?;
    let line = members.line;
    let name = members.text("name")?;
    let datatype = members.text("datatype")?;
    let unknown = |()| LockError::new(line, format!("`{datatype}` is not a datatype"));
    let datatype = datatype.parse().map_err(unknown)?;
    let dims = members.list("shape", |value| match value.kind {
        Kind::Number(dim) if dim >= -1 => Ok(dim),
        _ => Err(LockError::new(
            value.line,
            "expected a dimension, -1 for any size",
        )),
    })?;
    let tensor = TensorSignature {
        optional: members.flag_if("optional")?,
        first_value: members.flag_if("first_value")?,
        ..TensorSignature::new(&name, datatype, &dims)
    };
    members.end()?;
    Ok((line, tensor))
}
