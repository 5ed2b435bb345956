//! Validation of the host name and the origin of requests, as protection against web pages.
//!
//! A web page can let its own name resolve to 127.0.0.1. The browser then treats this server as the
//! page's origin, and the page can read everything that is served without a token. The browser
//! sends the page's name in `Host`, and no script can change this header.
//!
//! The check of the host applies to HTTP/1 only. Browsers use HTTP/2 only with TLS, and there the
//! certificate must match the name.
//!
//! A page can also send requests to this server under the server's own name. It cannot read the
//! responses, but an inference may have effects. The browser sends the page's origin in `Origin`
//! with every request whose method is not `GET` or `HEAD`, and with all CORS requests. No script
//! can change this header.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderValue, Version};

use pytriton_core::text::excerpt;

use crate::{AllowedHosts, Refusal};

/// Whether a port checks the host names and the origins of its requests.
#[derive(Debug, Clone)]
pub enum HostCheck {
    /// Every name is allowed.
    Any,
    /// Only IP addresses, this machine and these names are allowed.
    Only {
        /// The names.
        allowed: AllowedHosts,
        /// The IPv4 address of the port, which most clients send as the host.
        own: Option<String>,
    },
}

impl HostCheck {
    /// Creates the check of a port with this address. By default, only plain-text ports on loopback
    /// addresses are checked: other addresses can be reached by any name, and by browsers without
    /// rebinding.
    pub fn new(option: Option<&AllowedHosts>, address: Option<IpAddr>, tls: bool) -> Self {
        let loopback = address.is_some_and(|address| address.is_loopback());
        let allowed = match option {
            Some(allowed) => allowed.clone(),
            None if loopback && !tls => AllowedHosts::default(),
            None => return Self::Any,
        };
        let own = address.filter(IpAddr::is_ipv4);
        Self::Only {
            allowed,
            own: own.map(|address| address.to_string()),
        }
    }

    /// Checks the host name and the origin of a request. `host` is the `Host` header of an HTTP/1.1
    /// request.
    ///
    /// # Errors
    ///
    /// Returns [`Refusal::HostNotAllowed`] or [`Refusal::OriginNotAllowed`].
    pub fn check(&self, parts: &Parts, host: Option<&HeaderValue>) -> Result<(), Refusal> {
        let Self::Only { allowed, own } = self else {
            return Ok(());
        };
        let authority = parts.uri.authority().map(|authority| authority.as_str());
        let hosts = || {
            // An HTTP/1.0 request has no `host`, and may have any number of `Host` headers.
            let others = host.is_none().then(|| parts.headers.get_all(HOST));
            let hosts = host.into_iter().chain(others.into_iter().flatten());
            let hosts = hosts.map(HeaderValue::as_bytes);
            hosts.chain(authority.map(str::as_bytes))
        };
        if parts.version < Version::HTTP_2 {
            for host in hosts() {
                if !is_own(host, own.as_deref()) && !is_allowed(host, allowed) {
                    let host = excerpt(&String::from_utf8_lossy(host));
                    return Err(Refusal::HostNotAllowed { host });
                }
            }
        }
        // Comparing the few names is faster than hashing one, and every request is checked.
        let origins = parts.headers.iter().filter(|(name, _)| *name == ORIGIN);
        for (_, origin) in origins {
            let page = page_host(origin.as_bytes());
            if !hosts().any(|host| host.eq_ignore_ascii_case(page)) && !may_send(page, allowed) {
                let origin = excerpt(&String::from_utf8_lossy(origin.as_bytes()));
                return Err(Refusal::OriginNotAllowed { origin });
            }
        }
        Ok(())
    }
}

/// The host of a request or of a page.
#[derive(Debug)]
enum HostKind<'a> {
    /// No name. A client that sends none, as in HTTP/1.0, is not a browser.
    Empty,
    /// An IP address.
    Address(IpAddr),
    /// This machine.
    Local,
    Name(&'a str),
}

/// Returns whether a host (with or without a port) is the address of the port. This is faster than
/// parsing it, and every request is checked.
fn is_own(host: &[u8], own: Option<&str>) -> bool {
    let rest = own.and_then(|own| host.strip_prefix(own.as_bytes()));
    matches!(rest, Some([] | [b':', ..]))
}

/// Returns whether a host is an IP address, this machine or an allowed name.
fn is_allowed(host: &[u8], allowed: &AllowedHosts) -> bool {
    match host_kind(host) {
        Some(HostKind::Name(name)) => allowed.contains(name),
        Some(HostKind::Empty | HostKind::Address(_) | HostKind::Local) => true,
        None => false,
    }
}

/// Returns whether a page of this host may send requests, if it is not of the same origin. An
/// address that is not of this machine can be that of any server.
fn may_send(page: &[u8], allowed: &AllowedHosts) -> bool {
    match host_kind(page) {
        Some(HostKind::Local) => true,
        Some(HostKind::Address(address)) => {
            address.is_loopback() || allowed.contains(&address.to_string())
        }
        Some(HostKind::Name(name)) => allowed.contains(name),
        Some(HostKind::Empty) | None => false,
    }
}

/// Returns the host of an origin such as `https://page.example:8080`. The origin `null`, as of a
/// page in a file, is a name.
fn page_host(origin: &[u8]) -> &[u8] {
    let scheme = origin.windows(3).position(|bytes| bytes == b"://");
    scheme.map_or(origin, |end| &origin[end + 3..])
}

/// Returns the kind of a host, with or without a port. `None` if it is invalid.
fn host_kind(host: &[u8]) -> Option<HostKind<'_>> {
    let host = str::from_utf8(host).ok()?;
    if let Some(rest) = host.strip_prefix('[') {
        let address = rest.split_once(']').map_or(rest, |(address, _)| address);
        let address = address.parse::<Ipv6Addr>().ok()?;
        return Some(HostKind::Address(address.into()));
    }
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_local = |name: &str| {
        let (start, end) = name.split_at_checked(name.len().wrapping_sub(9))?;
        let local = end.eq_ignore_ascii_case("localhost");
        Some(local && (start.is_empty() || start.ends_with('.')))
    };
    Some(match name.parse::<Ipv4Addr>() {
        Ok(address) => HostKind::Address(address.into()),
        Err(_) if name.is_empty() => HostKind::Empty,
        Err(_) if is_local(name) == Some(true) => HostKind::Local,
        Err(_) => HostKind::Name(name),
    })
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;
    use crate::check_head;

    const LOOPBACK: Option<IpAddr> = Some(IpAddr::V4(Ipv4Addr::LOCALHOST));

    fn parts(version: Version, host: Option<&str>, uri: &str) -> Parts {
        let mut request = Request::get(uri).version(version);
        if let Some(host) = host {
            request = request.header(HOST, host);
        }
        request.body(()).unwrap().into_parts().0
    }

    fn checked(check: &HostCheck, parts: &Parts) -> Result<(), Refusal> {
        check.check(parts, check_head(parts.version, &parts.headers)?)
    }

    #[test]
    fn loopback_ports_accept_addresses_localhost_and_allowed_names() {
        let option = AllowedHosts::parse("models.example, proxy").unwrap();
        // A host, and whether it is allowed without and with the option.
        let table = [
            ("localhost", true, true),
            ("LocalHost:8000", true, true),
            ("localhost.:8000", true, true),
            ("app.localhost", true, true),
            ("127.0.0.1", true, true),
            ("127.0.0.1:8000", true, true),
            ("127.0.0.12", true, true),
            ("127.0.0.1x", false, false),
            ("10.0.0.1:8000", true, true),
            ("[::1]", true, true),
            ("[::1]:8000", true, true),
            ("", true, true),
            ("evil.example", false, false),
            ("evil.example:8000", false, false),
            ("notlocalhost", false, false),
            ("localhost.evil.example", false, false),
            ("127.0.0.1.evil.example", false, false),
            ("[evil.example]", false, false),
            ("x", false, false),
            ("models.example", false, true),
            ("Models.Example.:443", false, true),
            ("a.models.example", false, false),
            ("proxy:80", false, true),
        ];
        for (host, without, with) in table {
            for (option, expected) in [(None, without), (Some(&option), with)] {
                let check = HostCheck::new(option, LOOPBACK, false);
                let checked = checked(&check, &parts(Version::HTTP_11, Some(host), "/v2"));
                assert_eq!(checked.is_ok(), expected, "{host} {option:?}");
            }
        }
    }

    #[test]
    fn other_ports_are_checked_with_the_option_alone() {
        let evil = parts(Version::HTTP_11, Some("evil.example"), "/v2");
        let option = AllowedHosts::parse("models.example").unwrap();
        let any = AllowedHosts::parse("*").unwrap();
        let public = "192.0.2.1".parse().ok();
        for (option, address, tls, allowed) in [
            (None, public, false, true),
            (None, Some(IpAddr::V4(Ipv4Addr::UNSPECIFIED)), false, true),
            (None, Some(IpAddr::V6(Ipv6Addr::LOCALHOST)), false, false),
            (None, LOOPBACK, true, true),
            (None, None, false, true),
            (Some(&option), public, false, false),
            (Some(&option), LOOPBACK, true, false),
            (Some(&any), LOOPBACK, false, true),
        ] {
            let check = HostCheck::new(option, address, tls);
            assert_eq!(
                checked(&check, &evil).is_ok(),
                allowed,
                "{option:?} {address:?}"
            );
        }
    }

    #[test]
    fn pages_of_other_origins_are_refused() {
        let option = AllowedHosts::parse("models.example, 10.0.0.1").unwrap();
        let any = AllowedHosts::parse("*").unwrap();
        // An origin, and whether it is allowed without and with the option.
        let table = [
            ("http://localhost:3000", true, true),
            ("http://127.0.0.1", true, true),
            ("http://127.0.0.2:8000", true, true),
            ("https://[::1]:8000", true, true),
            ("http://app.localhost", true, true),
            // The same origin, whatever the address.
            ("http://192.0.2.1:8000", true, true),
            ("http://192.0.2.1", false, false),
            ("http://192.0.2.1:80001", false, false),
            ("http://10.0.0.1:3000", false, true),
            ("https://models.example", false, true),
            ("https://evil.example", false, false),
            ("https://localhost.evil.example", false, false),
            ("https://[evil.example]", false, false),
            ("chrome-extension://abc", false, false),
            ("http://", false, false),
            ("null", false, false),
            ("", false, false),
        ];
        for (origin, without, with) in table {
            for (option, expected) in [(None, without), (Some(&option), with)] {
                for version in [Version::HTTP_11, Version::HTTP_2] {
                    let (host, uri) = match version {
                        Version::HTTP_11 => (Some("192.0.2.1:8000"), "/v2"),
                        _ => (None, "http://192.0.2.1:8000/v2"),
                    };
                    let mut parts = parts(version, host, uri);
                    parts.headers.insert(ORIGIN, origin.parse().unwrap());
                    let check = HostCheck::new(option, LOOPBACK, false);
                    let checked = checked(&check, &parts);
                    assert_eq!(checked.is_ok(), expected, "{origin} {option:?} {version:?}");
                }
            }
        }
        let mut parts = parts(Version::HTTP_11, Some("localhost"), "/v2");
        for (origins, allowed) in [(0, true), (1, true), (2, false)] {
            let check = HostCheck::new(None, LOOPBACK, false);
            assert_eq!(checked(&check, &parts).is_ok(), allowed, "{origins}");
            let origin = ["http://localhost", "https://evil.example", ""][origins];
            parts.headers.append(ORIGIN, origin.parse().unwrap());
        }
        for check in [
            HostCheck::Any,
            HostCheck::new(Some(&any), LOOPBACK, false),
            HostCheck::new(None, LOOPBACK, true),
        ] {
            parts.headers.insert(ORIGIN, "null".parse().unwrap());
            assert_eq!(checked(&check, &parts), Ok(()), "{check:?}");
        }
    }

    #[test]
    fn check_applies_to_every_host_of_an_http1_request() {
        let check = HostCheck::new(None, LOOPBACK, false);
        for (version, host, uri, allowed) in [
            (Version::HTTP_10, None, "/v2", true),
            (Version::HTTP_10, Some("evil.example"), "/v2", false),
            (
                Version::HTTP_11,
                Some("localhost"),
                "http://evil.example/v2",
                false,
            ),
            (
                Version::HTTP_11,
                Some("localhost"),
                "http://localhost/v2",
                true,
            ),
            (Version::HTTP_2, None, "http://evil.example/v2", true),
        ] {
            let checked = checked(&check, &parts(version, host, uri));
            assert_eq!(checked.is_ok(), allowed, "{version:?} {host:?} {uri}");
        }
    }
}
