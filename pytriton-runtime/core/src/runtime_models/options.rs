use std::sync::Arc;

use crate::model::{InstanceGroups, QueuePolicy, VersionPolicy};
use crate::registry::ModelOptions;

/// An owned version of [`ModelOptions`] that records which options were set.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) plain: ModelOptions<'static>,
    pub(super) name: Arc<str>,
    pub(super) description: Arc<str>,
    pub(super) version_policy: Option<VersionPolicy>,
    pub(super) instances: InstanceGroups,
    pub(super) preferred_batch_size: Vec<u32>,
    pub(super) priority_queue_policy: Vec<(u64, QueuePolicy)>,
    pub(super) parameters: Vec<(Arc<str>, Arc<str>)>,
    pub(super) written: Vec<&'static str>,
}

impl Options {
    pub(super) fn new(name: Arc<str>) -> Self {
        Self {
            plain: ModelOptions::DEFAULT,
            name,
            description: Arc::default(),
            version_policy: None,
            instances: 1.into(),
            preferred_batch_size: Vec::new(),
            priority_queue_policy: Vec::new(),
            parameters: Vec::new(),
            written: vec!["name"],
        }
    }

    /// Returns the borrowed version, for the rules of declared models.
    pub(super) fn borrowed(&self) -> ModelOptions<'_> {
        ModelOptions {
            name: &self.name,
            description: &self.description,
            version_policy: self.version_policy.as_ref().map(Into::into),
            instances: self.instances.groups(),
            preferred_batch_size: &self.preferred_batch_size,
            priority_queue_policy: &self.priority_queue_policy,
            ..self.plain
        }
    }
}
