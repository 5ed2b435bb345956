use serde_json::{Map, Value, json};

use crate::access::{Closed, Group, Protocol};

use super::names::{Names, snake};

/// The routes of a server: which exist, on which ports, and which need a header.
#[derive(Debug)]
pub(crate) struct ServedRoutes {
    keys: Vec<Key>,
    /// Whether clients may load and unload models.
    pub(super) explicit: bool,
    /// Whether the server of the document serves a path.
    answered: fn(&str) -> bool,
    /// The other ports, if known.
    pub(super) ports: Option<Map<String, Value>>,
}

/// A header that gives access to groups of routes.
#[derive(Debug)]
struct Key {
    /// The name in the document.
    name: String,
    header: String,
    groups: Vec<Group>,
}

impl ServedRoutes {
    /// Creates the routes of a server with these groups restricted over HTTP. `explicit` tells
    /// whether clients may load and unload models.
    pub(crate) fn new(closed: &[Closed], explicit: bool) -> Self {
        let mut names = Names::default();
        let keys = closed.iter().map(|closed| Key {
            name: names.pick(&snake(&closed.key)),
            header: Protocol::Http.header(&closed.key),
            groups: closed.groups.clone(),
        });
        Self {
            keys: keys.collect(),
            explicit,
            answered: |_| true,
            ports: None,
        }
    }

    /// Restricts the document to the paths that satisfy the predicate.
    #[cfg(feature = "embedded")]
    pub(crate) fn only_paths(self, answered: fn(&str) -> bool) -> Self {
        Self { answered, ..self }
    }

    /// Adds other ports: protocol, port, and whether it uses TLS.
    #[cfg(feature = "embedded")]
    pub(crate) fn with_other_ports(
        self,
        ports: impl IntoIterator<Item = (&'static str, u16, bool)>,
    ) -> Self {
        let ports = ports.into_iter().map(|(name, port, tls)| {
            let at = json!({ "port": port, "tls": tls });
            (name.to_owned(), at)
        });
        Self {
            ports: Some(ports.collect()),
            ..self
        }
    }

    /// Returns whether a path is served.
    pub(super) fn answers(&self, path: &str) -> bool {
        (self.answered)(path)
    }

    /// Returns the routes of a server that is started without options.
    pub(crate) fn usual() -> Self {
        Self::new(&[Closed::usual()], false)
    }

    /// Returns the security requirement of an operation in a group.
    pub(super) fn security(&self, group: Group) -> Option<Value> {
        let key = self.keys.iter().find(|key| key.groups.contains(&group))?;
        Some(json!([{ &*key.name: [] }]))
    }

    /// Returns the security schemes.
    pub(super) fn schemes(&self) -> Map<String, Value> {
        let schemes = self.keys.iter().map(|key| {
            let groups: Vec<&str> = key.groups.iter().map(|group| group.name()).collect();
            let scheme = json!({
                "type": "apiKey",
                "in": "header",
                "name": key.header,
                "description": format!("Opens {}.", groups.join(", ")),
            });
            (key.name.clone(), scheme)
        });
        schemes.collect()
    }
}
