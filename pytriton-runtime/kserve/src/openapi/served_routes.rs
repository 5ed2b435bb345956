use serde_json::{Map, Value, json};

use crate::Group;

use super::names::{Names, snake};

/// The routes of a server: which exist, on which ports, and which need a header.
#[derive(Debug)]
pub struct ServedRoutes {
    keys: Vec<Key>,
    /// Whether clients may load and unload models.
    pub(super) explicit: bool,
    /// Whether the server of the document serves a path.
    is_served: fn(&str) -> bool,
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
    /// Creates the routes of a server. `restricted` lists headers and the groups that each of them
    /// opens. `explicit` states whether clients may load and unload models.
    pub fn new<'a>(
        restricted: impl IntoIterator<Item = (&'a str, &'a [Group])>,
        explicit: bool,
    ) -> Self {
        let mut names = Names::default();
        let keys = restricted.into_iter().map(|(header, groups)| Key {
            name: names.pick(&snake(header)),
            header: header.to_owned(),
            groups: groups.to_vec(),
        });
        Self {
            keys: keys.collect(),
            explicit,
            is_served: |_| true,
            ports: None,
        }
    }

    /// Restricts the document to the paths that satisfy the predicate.
    pub fn only_paths(self, is_served: fn(&str) -> bool) -> Self {
        Self { is_served, ..self }
    }

    /// Adds other ports: protocol, port, and whether it uses TLS.
    pub fn with_other_ports(
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
    pub(super) fn serves(&self, path: &str) -> bool {
        (self.is_served)(path)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_that_satisfy_the_predicate_are_served() {
        let all = ServedRoutes::new([], false);
        assert!(all.serves("/a") && all.serves("/b"));
        let some = all.only_paths(|path| path == "/a");
        assert!(some.serves("/a") && !some.serves("/b"));
    }
}
