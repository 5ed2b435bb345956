use serde_json::{Map, Value, json};

use crate::access::{Closed, Group, Protocol};

use super::names::{Names, snake};

/// Which routes a server has, where, and which of them want a header.
#[derive(Debug)]
pub(crate) struct Doors {
    keys: Vec<Key>,
    /// Whether clients load and unload models.
    pub(super) explicit: bool,
    /// Which paths are answered where the document is.
    answered: fn(&str) -> bool,
    /// Where the rest of it is; nothing where that is not known.
    pub(super) ports: Option<Map<String, Value>>,
}

/// A header that opens groups of routes.
#[derive(Debug)]
struct Key {
    /// What the document calls it.
    name: String,
    header: String,
    groups: Vec<Group>,
}

impl Doors {
    /// Those of a server that has closed these groups over HTTP; `explicit` where clients load and unload models.
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

    /// With these paths alone.
    #[cfg(feature = "embedded")]
    pub(crate) fn answering(self, answered: fn(&str) -> bool) -> Self {
        Self { answered, ..self }
    }

    /// With other ports: what is spoken there, and whether over TLS.
    #[cfg(feature = "embedded")]
    pub(crate) fn beside(self, ports: impl IntoIterator<Item = (&'static str, u16, bool)>) -> Self {
        let ports = ports.into_iter().map(|(name, port, tls)| {
            let at = json!({ "port": port, "tls": tls });
            (name.to_owned(), at)
        });
        Self {
            ports: Some(ports.collect()),
            ..self
        }
    }

    /// Whether a path is answered.
    pub(super) fn answers(&self, path: &str) -> bool {
        (self.answered)(path)
    }

    /// Those of a server that is started without options.
    pub(crate) fn usual() -> Self {
        Self::new(&[Closed::usual()], false)
    }

    /// What opens a group, as an operation says it.
    pub(super) fn security(&self, group: Group) -> Option<Value> {
        let key = self.keys.iter().find(|key| key.groups.contains(&group))?;
        Some(json!([{ &*key.name: [] }]))
    }

    /// The headers, as components.
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
