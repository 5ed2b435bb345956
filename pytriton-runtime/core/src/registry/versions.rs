use crate::model::{EXPECTED_INT32, MAX_INT32, VersionPolicy};

use super::ModelOptions;
use super::rules::range;
use super::violation::Violation;

/// The option for the served versions of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionPolicyDeclaration<'a> {
    /// This many of the highest versions.
    Latest(u32),
    /// All versions.
    All,
    /// The listed versions.
    Specific(&'a [u32]),
}

impl From<VersionPolicyDeclaration<'_>> for VersionPolicy {
    fn from(declaration: VersionPolicyDeclaration<'_>) -> Self {
        match declaration {
            VersionPolicyDeclaration::Latest(count) => Self::Latest(count),
            VersionPolicyDeclaration::All => Self::All,
            VersionPolicyDeclaration::Specific(versions) => Self::Specific(versions.to_vec()),
        }
    }
}

impl<'a> From<&'a VersionPolicy> for VersionPolicyDeclaration<'a> {
    fn from(policy: &'a VersionPolicy) -> Self {
        match policy {
            VersionPolicy::Latest(count) => Self::Latest(*count),
            VersionPolicy::All => Self::All,
            VersionPolicy::Specific(versions) => Self::Specific(versions),
        }
    }
}

impl ModelOptions<'_> {
    /// The error in the version policy.
    pub(super) const fn version_policy_flaw(&self) -> Violation {
        match self.version_policy {
            Some(VersionPolicyDeclaration::Latest(count)) => range(
                count,
                MAX_INT32,
                "`latest` must select at least one version: expected a number from 1 to 2147483647",
            ),
            Some(VersionPolicyDeclaration::Specific(versions)) => specific_flaw(versions),
            Some(VersionPolicyDeclaration::All) | None => None,
        }
    }
}

const fn specific_flaw(versions: &[u32]) -> Violation {
    if versions.is_empty() {
        return Some("`specific` must list at least one version: write `specific([1])`");
    }
    let mut index = 0;
    while index < versions.len() {
        let flaw = range(versions[index], MAX_INT32, EXPECTED_INT32);
        if flaw.is_some() {
            return flaw;
        }
        let mut earlier = 0;
        while earlier < index {
            if versions[earlier] == versions[index] {
                return Some("a version is given twice: remove one");
            }
            earlier += 1;
        }
        index += 1;
    }
    None
}
