use std::sync::Arc;

use crate::model::{InstanceGroup, InstanceGroups, QueuePolicy, TimeoutAction, VersionPolicy};

use super::{Flaw, ModelOptions};

/// An owned version of [`ModelOptions`] that records which options were set.
#[derive(Debug, Clone)]
pub(crate) struct OwnedOptions {
    pub(crate) plain: ModelOptions<'static>,
    pub(crate) name: Arc<str>,
    pub(crate) description: Arc<str>,
    pub(crate) version_policy: Option<VersionPolicy>,
    pub(crate) instances: InstanceGroups,
    pub(crate) preferred_batch_size: Vec<u32>,
    pub(crate) priority_queue_policy: Vec<(u64, QueuePolicy)>,
    pub(crate) parameters: Vec<(Arc<str>, Arc<str>)>,
    pub(crate) cost: Option<Arc<str>>,
    pub(crate) written: Vec<&'static str>,
}

impl OwnedOptions {
    pub(crate) fn new(name: Arc<str>) -> Self {
        Self {
            name,
            written: vec!["name"],
            ..Self::from(&ModelOptions::DEFAULT)
        }
    }

    /// Returns the borrowed version, for the rules of declared models.
    pub(crate) fn borrowed(&self) -> ModelOptions<'_> {
        ModelOptions {
            name: &self.name,
            description: &self.description,
            version_policy: self.version_policy.as_ref().map(Into::into),
            instances: self.instances.groups(),
            preferred_batch_size: &self.preferred_batch_size,
            priority_queue_policy: &self.priority_queue_policy,
            cost: self.cost.as_deref(),
            ..self.plain
        }
    }

    /// Returns whether an option was set.
    pub(crate) fn is_set(&self, option: &str) -> bool {
        self.written.contains(&option)
    }

    /// Records that an option was set.
    pub(crate) fn record(&mut self, option: &'static str) {
        if !self.is_set(option) {
            self.written.push(option);
        }
    }

    /// Evaluates the expression for the number of instances, if there is one.
    ///
    /// # Errors
    ///
    /// Returns [`Flaw::Instances`] if its value is out of range.
    pub(super) fn evaluate_instances(&mut self) -> Result<(), Flaw> {
        let Some(expression) = self.plain.instance_count.take() else {
            return Ok(());
        };
        let count = expression();
        let wrong = |help| Flaw::Instances { count, help };
        let groups = [InstanceGroup::cpu(u32::try_from(count).unwrap_or_default())];
        let options = ModelOptions {
            instances: &groups,
            ..ModelOptions::DEFAULT
        };
        let flaw = options.flaw("instances").map(wrong);
        self.instances = groups.into();
        self.record("instances");
        flaw.map_or(Ok(()), Err)
    }

    /// Returns every mistake in the options that were set.
    pub(crate) fn flaws(&self) -> Vec<Flaw> {
        let borrowed = self.borrowed();
        let mut flaws = Vec::new();
        for &option in &self.written {
            if let Some(help) = borrowed.flaw(option).or(borrowed.conflict(option)) {
                flaws.push(Flaw::Option { option, help });
            }
        }
        for (index, &size) in self.preferred_batch_size.iter().enumerate() {
            if let Some(help) = borrowed.preferred_flaw(index) {
                flaws.push(Flaw::PreferredSize { size, help });
            }
        }
        for (index, &(level, policy)) in self.priority_queue_policy.iter().enumerate() {
            let action =
                (policy.timeout_action != TimeoutAction::Reject).then_some("timeout_action");
            let asked = ["level", "max_queue_size", "allow_timeout_override"];
            for option in asked.into_iter().chain(action) {
                if let Some(help) = borrowed.level_flaw(index, option) {
                    flaws.push(Flaw::Level {
                        level,
                        option,
                        help,
                    });
                }
            }
        }
        flaws
    }
}

/// The options of a declared model. None of them is recorded as set: the compiler has checked them.
impl From<&ModelOptions<'static>> for OwnedOptions {
    fn from(plain: &ModelOptions<'static>) -> Self {
        let parameters = plain.parameters.iter();
        Self {
            plain: *plain,
            name: plain.name.into(),
            description: plain.description.into(),
            version_policy: plain.version_policy.map(Into::into),
            instances: plain.instances.into(),
            preferred_batch_size: plain.preferred_batch_size.to_vec(),
            priority_queue_policy: plain.priority_queue_policy.to_vec(),
            parameters: parameters
                .map(|&(name, value)| (name.into(), value.into()))
                .collect(),
            cost: plain.cost.map(Into::into),
            written: Vec::new(),
        }
    }
}
