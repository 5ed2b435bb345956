use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;

use crate::Result;
use crate::config::read;

/// A file type.
#[derive(Debug, Clone)]
pub(crate) struct Kind {
    pub(crate) label: String,
    pub(crate) mime_type: String,
    pub(crate) group: String,
    pub(crate) is_text: bool,
}

/// `content_types_kb.min.json`: the properties of all file types.
pub(crate) struct Kinds(HashMap<String, Entry>);

#[derive(Deserialize)]
struct Entry {
    mime_type: Option<String>,
    group: Option<String>,
    is_text: bool,
}

impl Kinds {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        Ok(Self(read(path)?))
    }

    pub(crate) fn find(&self, label: &str) -> Result<Kind> {
        let entry = self.0.get(label);
        let entry = entry.ok_or_else(|| format!("nothing is known of the kind `{label}`"))?;
        let plain = match entry.is_text {
            true => "text/plain",
            false => "application/octet-stream",
        };
        let or = |said: &Option<String>, other: &str| said.as_deref().unwrap_or(other).to_owned();
        Ok(Kind {
            label: label.to_owned(),
            mime_type: or(&entry.mime_type, plain),
            group: or(&entry.group, "unknown"),
            is_text: entry.is_text,
        })
    }
}
