use std::sync::Arc;

use crate::model::{
    DynamicBatching, InstanceGroups, Priorities, QueuePolicy, SequenceBatching, SequenceStrategy,
    VersionPolicy,
};
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
    pub(super) priority_queue_policy: Vec<(u32, QueuePolicy)>,
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
            version_policy: self.version_policy.as_ref().map(Into::into),
            instances: self.instances.groups(),
            preferred_batch_size: &self.preferred_batch_size,
            priority_queue_policy: &self.priority_queue_policy,
            ..self.plain
        }
    }

    /// Returns the batching options, or `None` if batching is disabled.
    pub(super) fn batcher(&self) -> Option<DynamicBatching> {
        let mut batcher = DynamicBatching::from(self.plain.batcher()?);
        batcher.preferred_batch_size = self.preferred_batch_size.clone();
        if let Some(priorities) = &mut batcher.priorities {
            let mut queue_policies = self.priority_queue_policy.clone();
            queue_policies.sort_by_key(|(level, _)| *level);
            *priorities = Priorities {
                queue_policies,
                ..priorities.clone()
            };
        }
        Some(batcher)
    }

    /// Returns the sequence batching options, or `None` if the model has no sequences.
    pub(super) fn sequencer(&self, max_batch_size: u32) -> Option<SequenceBatching> {
        let mut batching = self.plain.sequencer()?.of(max_batch_size);
        if let SequenceStrategy::Oldest {
            preferred_batch_size,
            ..
        } = &mut batching.strategy
        {
            preferred_batch_size.clone_from(&self.preferred_batch_size);
        }
        Some(batching)
    }
}
