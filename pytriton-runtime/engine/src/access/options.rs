use std::env;
use std::path::PathBuf;

use crate::arguments::options;

use super::{Group, IdentityHeader};

/// The variable for the groups that require the token.
const VARIABLE: &str = "PYTRITON_TRITON_CONFIG_RESTRICTED_ENDPOINTS";

/// The groups that require the token by default.
const DEFAULT_GROUPS: &str = "shared-memory,model-repository,statistics,trace,logging";

options! {
    /// Options for access control.
    #[derive(Debug, Clone)]
    #[non_exhaustive]
    pub struct AccessOptions {
        /// Groups of routes that require the access token: health, inference, logging, metadata,
        /// model-config, model-repository, shared-memory, statistics, trace; empty for none
        #[arg(
            long,
            env = VARIABLE,
            value_name = "GROUP,…",
            default_value = DEFAULT_GROUPS,
            value_parser = Endpoints::parse
        )]
        pub restricted_endpoints: Endpoints,

        /// File with one access token per line, optionally after the name of its clients and a
        /// colon, reloaded when it changes. By default, the token is read from the environment
        /// (PYTRITON_TRITON_CONFIG_ACCESS_TOKEN), or generated and written to a file whose path is
        /// logged
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_ACCESS_TOKEN_FILE",
            value_name = "FILE"
        )]
        pub access_token_file: Option<PathBuf>,

        /// Header in which a proxy sends the name of the client to functions that take `&Identity`.
        /// All clients must pass the proxy, and it must replace the header. Embedded engine only
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_IDENTITY_HEADER",
            value_name = "NAME",
            value_parser = IdentityHeader::parse
        )]
        pub identity_header: Option<IdentityHeader>,
    }
}

impl AccessOptions {
    /// Warns if the environment opens groups that are restricted by default: a variable that is
    /// empty by mistake is visible nowhere else.
    pub(super) fn warn_if_open(&self) {
        let open = self.opened_by(env::var(VARIABLE).ok().as_deref());
        if !open.is_empty() {
            tracing::warn!(
                groups = open.join(","),
                "{VARIABLE} removes the access token from groups of routes that require it by default"
            );
        }
    }

    /// Returns the default groups that the value of the variable opens.
    fn opened_by(&self, value: Option<&str>) -> Vec<&'static str> {
        let from_env = value.and_then(|value| Endpoints::parse(value).ok());
        match from_env.as_ref() == Some(&self.restricted_endpoints) {
            true => self.restricted_endpoints.removed_default_groups(),
            false => Vec::new(),
        }
    }
}

/// Groups that require the access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoints(pub Vec<Group>);

impl Endpoints {
    /// Returns the groups that require the token by default.
    pub(super) fn default_groups() -> Vec<Group> {
        let mut groups = Group::ALL.to_vec();
        groups.retain(|group| DEFAULT_GROUPS.split(',').any(|name| name == group.name()));
        groups
    }

    /// Returns the default groups that are not among these.
    fn removed_default_groups(&self) -> Vec<&'static str> {
        let default_groups = Self::default_groups().into_iter();
        let default_groups = default_groups.filter(|group| !self.0.contains(group));
        default_groups.map(Group::name).collect()
    }

    /// Parses names separated by commas.
    ///
    /// # Errors
    ///
    /// Returns PyTriton's message if a name is not a group.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self(Vec::new()));
        }
        let (mut groups, mut invalid) = (Vec::new(), Vec::new());
        for name in text.split(',') {
            match Group::named(name) {
                Some(group) if groups.contains(&group) => {}
                Some(group) => groups.push(group),
                None => invalid.push(name),
            }
        }
        if invalid.is_empty() {
            return Ok(Self(groups));
        }
        invalid.sort_unstable();
        invalid.dedup();
        Err(format!(
            "Invalid endpoint names: {}. Valid endpoints are: {}",
            invalid.join(", "),
            Group::ALL.map(Group::name).join(", ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unprotected_groups_are_reported() {
        let table: [(&str, &[&str]); 3] = [
            (DEFAULT_GROUPS, &[]),
            (
                "health,shared-memory,model-repository,statistics,trace,logging",
                &[],
            ),
            (
                "shared-memory,model-repository,statistics",
                &["logging", "trace"],
            ),
        ];
        for (text, expected) in table {
            assert_eq!(
                Endpoints::parse(text).unwrap().removed_default_groups(),
                expected
            );
        }
        assert_eq!(Endpoints(Vec::new()).removed_default_groups().len(), 5);
    }

    #[test]
    fn groups_are_opened_by_the_environment_only_if_it_is_used() {
        let options = |text| AccessOptions {
            restricted_endpoints: Endpoints::parse(text).unwrap(),
            access_token_file: None,
            identity_header: None,
        };
        let without_trace = "shared-memory,model-repository,statistics,logging";
        let table: [(&str, Option<&str>, &[&str]); 5] = [
            (DEFAULT_GROUPS, Some(DEFAULT_GROUPS), &[]),
            (without_trace, Some(without_trace), &["trace"]),
            (without_trace, Some(""), &[]),
            (without_trace, Some("bad"), &[]),
            (without_trace, None, &[]),
        ];
        for (text, value, expected) in table {
            assert_eq!(options(text).opened_by(value), expected, "{text} {value:?}");
        }
    }

    #[test]
    fn group_names_match_pytriton() {
        let valid = "health, inference, logging, metadata, model-config, model-repository, shared-memory, statistics, trace";
        let invalid = |names| {
            Err(format!(
                "Invalid endpoint names: {names}. Valid endpoints are: {valid}"
            ))
        };
        let table = [
            ("", Ok(vec![])),
            ("trace", Ok(vec![Group::Trace])),
            ("trace,health,trace", Ok(vec![Group::Trace, Group::Health])),
            ("bad", invalid("bad")),
            ("b,trace,a,b", invalid("a, b")),
            ("Trace", invalid("Trace")),
            (",", invalid("")),
        ];
        for (text, expected) in table {
            assert_eq!(Endpoints::parse(text), expected.map(Endpoints), "{text}");
        }
    }
}
