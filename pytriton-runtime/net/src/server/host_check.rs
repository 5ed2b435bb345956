//! Validation of the host name of requests, as protection against DNS rebinding.
//!
//! A web page can let its own name resolve to 127.0.0.1. The browser then treats this server as the
//! page's origin, and the page can read everything that is served without a token. The browser
//! sends the page's name in `Host`, and no script can change this header.
//!
//! The check applies to HTTP/1 only. Browsers use HTTP/2 only with TLS, and there the certificate
//! must match the name. Headers such as `Origin` do not identify browsers: a page can send `GET`
//! without them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use http::header::HOST;
use http::request::Parts;
use http::{HeaderValue, Version};

use pytriton_core::text::excerpt;

use crate::{AllowedHosts, Refusal};

/// Whether a port checks the host names of its requests.
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

    /// Checks the host name of a request. `host` is the `Host` header of an HTTP/1.1 request.
    ///
    /// # Errors
    ///
    /// Returns [`Refusal::HostNotAllowed`] if the name is not allowed.
    pub fn check(&self, parts: &Parts, host: Option<&HeaderValue>) -> Result<(), Refusal> {
        let Self::Only { allowed, own } = self else {
            return Ok(());
        };
        if parts.version >= Version::HTTP_2 {
            return Ok(());
        }
        let authority = parts.uri.authority().map(|authority| authority.as_str());
        // Without it, the request is HTTP/1.0 and may have any number of hosts.
        let others = host.is_none().then(|| parts.headers.get_all(HOST));
        let hosts = host.into_iter().chain(others.into_iter().flatten());
        let hosts = hosts.map(HeaderValue::as_bytes);
        for host in hosts.chain(authority.map(str::as_bytes)) {
            if !is_own(host, own.as_deref()) && !is_allowed(host, allowed) {
                let host = excerpt(&String::from_utf8_lossy(host));
                return Err(Refusal::HostNotAllowed { host });
            }
        }
        Ok(())
    }
}

/// Returns whether a host (with or without a port) is the address of the port. This is faster than
/// parsing it, and every request is checked.
fn is_own(host: &[u8], own: Option<&str>) -> bool {
    let rest = own.and_then(|own| host.strip_prefix(own.as_bytes()));
    matches!(rest, Some([] | [b':', ..]))
}

/// Returns whether a host (with or without a port) is an IP address, this machine or an allowed
/// name. A client that sends no name, as in HTTP/1.0, is not a browser.
fn is_allowed(host: &[u8], allowed: &AllowedHosts) -> bool {
    let Ok(host) = str::from_utf8(host) else {
        return false;
    };
    if let Some(rest) = host.strip_prefix('[') {
        let address = rest.split_once(']').map_or(rest, |(address, _)| address);
        return address.parse::<Ipv6Addr>().is_ok();
    }
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_local = |name: &str| {
        let (start, end) = name.split_at_checked(name.len().wrapping_sub(9))?;
        let local = end.eq_ignore_ascii_case("localhost");
        Some(local && (start.is_empty() || start.ends_with('.')))
    };
    name.is_empty()
        || is_local(name) == Some(true)
        || name.parse::<Ipv4Addr>().is_ok()
        || allowed.contains(name)
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
