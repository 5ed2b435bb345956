use std::fmt;
use std::str::FromStr;

use hyper::http::uri::Authority;

use crate::ClientError;

use super::Scheme;

/// The scheme, host and port of a server.
///
/// # Examples
///
/// ```
/// # use pytriton_client::Address;
/// let address: Address = "localhost".parse().unwrap();
/// assert_eq!(address.to_string(), "http://localhost:8000");
/// let address: Address = "GRPC://[::1]/ignored".parse().unwrap();
/// assert_eq!(address.to_string(), "grpc://[::1]:8001");
/// assert!("ftp://localhost".parse::<Address>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    scheme: Scheme,
    host: String,
    port: u16,
}

impl Address {
    /// Returns the scheme.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns the host; IPv6 addresses are in brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Parses a list of servers such as `grpc://a,b:9001`.
    pub(crate) fn list(urls: &str) -> Result<Vec<Self>, ClientError> {
        let (scheme, rest) = match urls.split_once("://") {
            Some((scheme, rest)) => (format!("{scheme}://"), rest),
            None => (String::new(), urls),
        };
        if rest.contains("://") {
            return Err(ClientError::InvalidUrl {
                url: shown(urls),
                reason: "write the scheme only once, before all servers".to_owned(),
            });
        }
        rest.split(',')
            .map(|host| format!("{scheme}{host}").parse())
            .collect()
    }

    /// Returns the host and port.
    pub(crate) fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

/// Returns the URL without its user and password.
pub(crate) fn shown(url: &str) -> String {
    match url.rsplit_once('@') {
        Some((_, rest)) => format!("…@{rest}"),
        None => url.to_owned(),
    }
}

impl FromStr for Address {
    type Err = ClientError;

    fn from_str(url: &str) -> Result<Self, Self::Err> {
        let invalid = |reason: String| ClientError::InvalidUrl {
            url: shown(url),
            reason,
        };
        let (scheme, rest) = match url.split_once("://") {
            Some((name, rest)) => {
                let unknown =
                    || format!("scheme `{name}` is not one of http, https, grpc and grpcs");
                (Scheme::parse(name).ok_or_else(|| invalid(unknown()))?, rest)
            }
            None => (Scheme::Http, url),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let authority = &rest[..end];
        if authority.contains('@') {
            return Err(invalid(
                "it contains a user name, which is not supported".to_owned(),
            ));
        }
        let parsed: Authority = authority
            .parse()
            .map_err(|error| invalid(format!("{error}")))?;
        let port = match authority.strip_prefix(parsed.host()) {
            Some("" | ":") => scheme.default_port(),
            _ => match parsed.port_u16() {
                None | Some(0) => return Err(invalid("the port is invalid".to_owned())),
                Some(port) => port,
            },
        };
        match parsed.host() {
            "" => Err(invalid("it has no host".to_owned())),
            host => Ok(Self {
                scheme,
                host: host.to_owned(),
                port,
            }),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}:{}", self.scheme, self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_list_has_one_scheme() {
        let list = Address::list("grpc://a,b:9001,[::1]").unwrap();
        let list: Vec<String> = list.iter().map(Address::to_string).collect();
        assert_eq!(
            list,
            ["grpc://a:8001", "grpc://b:9001", "grpc://[::1]:8001"]
        );
        assert_eq!(Address::list("a,b").unwrap().len(), 2);
        assert!(Address::list("grpc://a,,b").is_err());
        let named = Address::list("http://me:secret@a").unwrap_err().to_string();
        assert!(!named.contains("secret") && named.contains("@a"), "{named}");
        assert!(Address::list("grpc://a,http://b").is_err());
    }

    #[test]
    fn addresses_match_pytriton_and_invalid_ones_are_rejected() {
        let table = [
            ("localhost", "http://localhost:8000"),
            ("localhost:5", "http://localhost:5"),
            ("grpc://localhost", "grpc://localhost:8001"),
            ("GrPc://localhost:5/v2", "grpc://localhost:5"),
            ("https://a.b", "https://a.b:8000"),
            ("grpcs://a.b?c", "grpcs://a.b:8001"),
            ("http://127.0.0.1:80", "http://127.0.0.1:80"),
            ("[::1]:9", "http://[::1]:9"),
            ("http://localhost:", "http://localhost:8000"),
        ];
        for (url, expected) in table {
            assert_eq!(url.parse::<Address>().unwrap().to_string(), expected);
        }
        for url in [
            "",
            "http://",
            "ftp://a",
            "http://a:b",
            "a:0",
            "a:70000",
            "http://a b",
            "u:p@a",
            "://a",
            "http://:8000",
        ] {
            let error = url.parse::<Address>().unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("invalid url `{}`: ", shown(url))),
                "{error}"
            );
        }
    }
}
