use std::net::IpAddr;
use std::sync::Arc;

/// The host names that a port allows, in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedHosts(Arc<[String]>);

impl AllowedHosts {
    /// Parses comma-separated names and addresses. `*` allows every name.
    ///
    /// # Errors
    ///
    /// Returns a message if an item is not a plain host name or an address.
    pub fn parse(text: &str) -> Result<Self, String> {
        let name = |name: &str| {
            let name = name.trim().trim_end_matches('.').to_ascii_lowercase();
            if let Ok(address) = name.trim_matches(['[', ']']).parse::<IpAddr>() {
                return Ok(address.to_string());
            }
            let valid = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            match name == "*" || !name.is_empty() && name.bytes().all(valid) {
                true => Ok(name),
                false => Err(format!(
                    "'{name}' is not a host name: expected names without scheme, port and path, separated by commas, or *"
                )),
            }
        };
        let names = text.split(',').filter(|_| !text.is_empty()).map(name);
        names.collect::<Result<_, _>>().map(Self)
    }

    /// Returns whether the name is allowed.
    #[cfg(feature = "server")]
    pub(crate) fn contains(&self, name: &str) -> bool {
        let named = |allowed: &String| allowed == "*" || allowed.eq_ignore_ascii_case(name);
        self.0.iter().any(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_accepts_only_host_names() {
        assert_eq!(AllowedHosts::parse("").unwrap().0.len(), 0);
        assert_eq!(AllowedHosts::parse("A.b, c.").unwrap().0[..], ["a.b", "c"]);
        let addresses = AllowedHosts::parse("10.0.0.1, fd00:0::5, [FD00::6]").unwrap();
        assert_eq!(addresses.0[..], ["10.0.0.1", "fd00::5", "fd00::6"]);
        for text in ["a,", "http://a", "a:80", "a/b", "*.a", "ä"] {
            assert!(AllowedHosts::parse(text).is_err(), "{text}");
        }
    }
}
