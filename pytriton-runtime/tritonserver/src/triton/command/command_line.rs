use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::net::IpAddr;
use std::path::Path;

use thiserror::Error;

use super::{Endpoints, Placeholders};

/// The installed tritonserver does not support an option.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "this tritonserver does not support the option --{flag}: use another version (--tritonserver PATH), or remove the option"
)]
pub struct UnknownFlag {
    /// The option without its dashes.
    pub flag: &'static str,
}

/// A command line for a tritonserver that supports the flags `known`.
#[derive(Debug)]
pub(super) struct CommandLine<'a> {
    known: &'a BTreeSet<String>,
    arguments: Vec<OsString>,
    placeholders: Placeholders,
}

impl<'a> CommandLine<'a> {
    pub(super) fn new(known: &'a BTreeSet<String>) -> Self {
        Self {
            known,
            arguments: Vec::new(),
            placeholders: Placeholders::default(),
        }
    }

    /// Returns whether the server supports a flag.
    pub(super) fn knows(&self, flag: &str) -> bool {
        self.known.contains(flag)
    }

    /// Returns the arguments, and the placeholders for the secret ones.
    pub(super) fn into_arguments(self) -> (Vec<OsString>, Placeholders) {
        (self.arguments, self.placeholders)
    }

    /// Adds a flag whose value is passed outside the command line.
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
        // Disabled endpoints are stated explicitly. Enabled ones are the default, and older servers
        // lack some of these flags.
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

/// Formats an address for tritonserver's HTTP library.
fn evhtp(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("ipv6:{address}"),
    }
}

/// Formats an address for gRPC: tritonserver appends a colon and the port.
fn bracketed(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}
