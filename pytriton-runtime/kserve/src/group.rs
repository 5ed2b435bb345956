/// The groups of routes that can be restricted: Triton's groups, in the order of their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Group {
    /// Liveness and readiness of the server and its models.
    Health,
    /// Inference requests.
    Inference,
    /// The log settings.
    Logging,
    /// Metadata of the server and its models.
    Metadata,
    /// Model configurations.
    ModelConfig,
    /// The repository index, loading and unloading.
    ModelRepository,
    /// Shared memory regions.
    SharedMemory,
    /// Model statistics.
    Statistics,
    /// The trace settings.
    Trace,
}

impl Group {
    /// All groups.
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

    /// Returns its name in options.
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

    /// Returns the group of a name.
    ///
    /// # Examples
    ///
    /// ```
    /// # use pytriton_kserve::Group;
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
    fn group_index_matches_its_position() {
        for (index, group) in Group::ALL.into_iter().enumerate() {
            assert_eq!(group as usize, index);
            assert_eq!(Group::named(group.name()), Some(group));
        }
        assert!(Group::ALL.is_sorted_by_key(|group| group.name()));
    }
}
