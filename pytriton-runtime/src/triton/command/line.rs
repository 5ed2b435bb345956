use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::net::IpAddr;
use std::path::Path;

use thiserror::Error;

use super::{Endpoints, Placeholders};

/// An option that the tritonserver at hand does not have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "this tritonserver has no option --{flag}: use another one (--tritonserver PATH) or leave the option out"
)]
pub struct UnknownFlag {
    /// The option without its dashes.
    pub flag: &'static str,
}

/// A command line for a tritonserver that knows some flags.
#[derive(Debug)]
pub(super) struct Line<'a> {
    known: &'a BTreeSet<String>,
    arguments: Vec<OsString>,
    placeholders: Placeholders,
}

impl<'a> Line<'a> {
    pub(super) fn new(known: &'a BTreeSet<String>) -> Self {
        Self {
            known,
            arguments: Vec::new(),
            placeholders: Placeholders::default(),
        }
    }

    /// Whether the server knows a flag.
    pub(super) fn knows(&self, flag: &str) -> bool {
        self.known.contains(flag)
    }

    /// What was written, and what was not.
    pub(super) fn into_arguments(self) -> (Vec<OsString>, Placeholders) {
        (self.arguments, self.placeholders)
    }

    /// A flag whose value stands elsewhere.
    pub(super) fn hidden(&mut self, flag: &'static str, value: &OsStr) -> Result<(), UnknownFlag> {
        if !self.knows(flag) {
            return Err(UnknownFlag { flag });
        }
        let placeholder = self.placeholders.hide(flag, value);
        self.arguments.push(placeholder);
        Ok(())
    }

    pub(super) fn flag(
        &mut self,
        flag: &'static str,
        value: impl Into<OsString>,
    ) -> Result<(), UnknownFlag> {
        if !self.knows(flag) {
            return Err(UnknownFlag { flag });
        }
        let mut argument = OsString::from(format!("--{flag}="));
        argument.push(value.into());
        self.arguments.push(argument);
        Ok(())
    }

    pub(super) fn path(&mut self, flag: &'static str, path: &Path) -> Result<(), UnknownFlag> {
        self.flag(flag, path)
    }

    pub(super) fn endpoints(&mut self, endpoints: &Endpoints) -> Result<(), UnknownFlag> {
        // What is not served is said, what is served is tritonserver's default: older ones lack some of these flags.
        match endpoints.http {
            None => self.flag("allow-http", "false")?,
            Some(address) => {
                self.flag("http-address", evhtp(address.ip()))?;
                self.flag("http-port", address.port().to_string())?;
            }
        }
        match endpoints.grpc {
            None => self.flag("allow-grpc", "false")?,
            Some(address) => {
                self.flag("grpc-address", bracketed(address.ip()))?;
                self.flag("grpc-port", address.port().to_string())?;
            }
        }
        match endpoints.metrics {
            None => self.flag("allow-metrics", "false"),
            Some(address) => {
                self.flag("metrics-address", evhtp(address.ip()))?;
                self.flag("metrics-port", address.port().to_string())
            }
        }
    }
}

/// An address as tritonserver's HTTP library wants it.
fn evhtp(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("ipv6:{address}"),
    }
}

/// An address as gRPC wants it: tritonserver puts a colon and the port behind it.
fn bracketed(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}
