/// What can be closed as a whole: Triton's groups of routes, in the order of their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Whether the server and its models are alive and ready.
    Health,
    /// Requests to models.
    Inference,
    /// The settings of the log.
    Logging,
    /// What the server and its models are.
    Metadata,
    /// How models are configured.
    ModelConfig,
    /// Which models there are, and their coming and going.
    ModelRepository,
    /// Memory that clients share with the server.
    SharedMemory,
    /// What models have done.
    Statistics,
    /// The settings of traces.
    Trace,
}

impl Group {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Health,
        Self::Inference,
        Self::Logging,
        Self::Metadata,
        Self::ModelConfig,
        Self::ModelRepository,
        Self::SharedMemory,
        Self::Statistics,
        Self::Trace,
    ];

    /// The name that options have for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Health => "health",
            Self::Inference => "inference",
            Self::Logging => "logging",
            Self::Metadata => "metadata",
            Self::ModelConfig => "model-config",
            Self::ModelRepository => "model-repository",
            Self::SharedMemory => "shared-memory",
            Self::Statistics => "statistics",
            Self::Trace => "trace",
        }
    }

    /// The group of that name.
    ///
    /// # Examples
    ///
    /// ```
    /// # use pytriton_runtime::access::Group;
    /// assert_eq!(Group::named("model-config"), Some(Group::ModelConfig));
    /// assert_eq!(Group::named("Health"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stands_at_its_own_place() {
        for (index, group) in Group::ALL.into_iter().enumerate() {
            assert_eq!(group as usize, index);
            assert_eq!(Group::named(group.name()), Some(group));
        }
        assert!(Group::ALL.is_sorted_by_key(|group| group.name()));
    }
}
