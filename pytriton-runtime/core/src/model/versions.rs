use super::ModelSpec;

/// The versions of a model that are served.
///
/// Source: `ModelVersionPolicy` in Triton's `model_config.proto`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VersionPolicy {
    /// This many of the highest versions.
    Latest(u32),
    /// All versions.
    All,
    /// The listed versions.
    Specific(Vec<u32>),
}

impl VersionPolicy {
    /// The policy of a model with these versions: the one that a version sets, otherwise all.
    /// `None` for a single version, for which Triton's default (the latest) is the same; with
    /// several versions it would hide some.
    pub fn among<'a>(specs: impl Iterator<Item = &'a ModelSpec>) -> Option<Self> {
        let mut versions = 0;
        for spec in specs {
            if let Some(policy) = &spec.version_policy {
                return Some(policy.clone());
            }
            versions += 1;
        }
        (versions > 1).then_some(Self::All)
    }

    /// The served versions among these, ascending.
    pub fn of(&self, versions: &[u32]) -> Vec<u32> {
        match self {
            Self::Latest(count) => {
                let count = usize::try_from(*count).unwrap_or(usize::MAX);
                versions[versions.len().saturating_sub(count)..].to_vec()
            }
            Self::All => versions.to_vec(),
            Self::Specific(served) => {
                let versions = versions.iter().copied();
                versions
                    .filter(|version| served.contains(version))
                    .collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::IDENTITY;

    use super::*;

    #[test]
    fn policy_selects_versions() {
        use VersionPolicy::{All, Latest, Specific};
        let table = [
            (Latest(1), vec![7]),
            (Latest(2), vec![3, 7]),
            (Latest(u32::MAX), vec![1, 3, 7]),
            (All, vec![1, 3, 7]),
            (Specific(vec![7, 1, 9]), vec![1, 7]),
            (Specific(vec![9]), vec![]),
        ];
        for (policy, expected) in table {
            assert_eq!(policy.of(&[1, 3, 7]), expected, "{policy:?}");
        }
        assert!(Latest(1).of(&[]).is_empty());
    }

    #[test]
    fn policy_of_one_version_applies_to_all() {
        use VersionPolicy::{All, Latest};
        let silent = || IDENTITY.spec().unwrap();
        let says = || ModelSpec {
            version_policy: Some(Latest(2)),
            ..silent()
        };
        let table = [
            (vec![], None),
            (vec![silent()], None),
            (vec![silent(), silent()], Some(All)),
            (vec![silent(), says(), silent()], Some(Latest(2))),
            (vec![says()], Some(Latest(2))),
        ];
        for (specs, expected) in table {
            assert_eq!(VersionPolicy::among(specs.iter()), expected);
        }
    }
}
