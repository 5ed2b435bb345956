use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Result;

/// `config.min.json`, next to the weights.
#[derive(Debug, Deserialize)]
pub(crate) struct Config {
    pub(crate) beg_size: usize,
    pub(crate) mid_size: usize,
    pub(crate) end_size: usize,
    pub(crate) use_inputs_at_offsets: bool,
    pub(crate) block_size: usize,
    pub(crate) min_file_size_for_dl: usize,
    pub(crate) padding_token: i32,
    pub(crate) medium_confidence_threshold: f64,
    pub(crate) target_labels_space: Vec<String>,
    pub(crate) thresholds: HashMap<String, f64>,
    pub(crate) overwrite_map: HashMap<String, String>,
}

/// Reads a JSON file.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let context = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = fs::read(path).map_err(|error| context(&error))?;
    Ok(serde_json::from_slice(&text).map_err(|error| context(&error))?)
}
