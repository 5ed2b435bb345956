use crate::{HarnessError, Result};

/// The lines that a server prints when it is ready.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Banner {
    /// The complete text.
    pub text: String,
    /// The host and port of HTTP.
    pub http: String,
    /// The host and port of gRPC.
    pub grpc: String,
    /// The host and port of the metrics.
    pub metrics: String,
    /// The host and port of the OpenAI routes, if a model has them.
    pub openai: Option<String>,
    /// The host and port of the docs page, if it is served.
    pub docs: Option<String>,
    /// The names of the endpoints with TLS.
    pub tls: Vec<String>,
}

impl Banner {
    /// Parses a banner. Returns `None` if the last line has not arrived.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Banner`] if the address of HTTP, gRPC or metrics is missing.
    pub fn parse(text: &str) -> Result<Option<Self>> {
        if !text.ends_with("\nready\n") {
            return Ok(None);
        }
        let urls = || {
            let lines = text.lines();
            let words = lines.filter_map(|line| line.trim_start().split_once(' '));
            words.filter_map(|(name, url)| Some((name, url.trim().split_once("://")?)))
        };
        let found = |label| {
            let (_, (_, rest)) = urls().find(|(name, _)| *name == label)?;
            rest.split('/').next().map(str::to_owned)
        };
        let address = |label| {
            found(label).ok_or_else(|| HarnessError::Banner {
                label,
                banner: text.to_owned(),
            })
        };
        let tls = urls().filter(|(_, (scheme, _))| scheme.ends_with('s'));
        Ok(Some(Self {
            text: text.to_owned(),
            http: address("http")?,
            grpc: address("grpc")?,
            metrics: address("metrics")?,
            openai: found("openai"),
            docs: found("docs"),
            tls: tls.map(|(name, _)| name.to_owned()).collect(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed_after_the_last_line() {
        let text = "pytriton 0.1.0, engine embedded (set by --engine)\n  model    A 1: x FP32 [-1] -> y FP32 [-1]\n  http     http://127.0.0.1:1\n  grpc     grpcs://127.0.0.1:2\n  metrics  http://127.0.0.1:3/metrics\n  openai   https://127.0.0.1:4/v1\n";
        assert_eq!(Banner::parse(text).unwrap(), None);
        let banner = Banner::parse(&format!("{text}ready\n")).unwrap().unwrap();
        assert_eq!(banner.http, "127.0.0.1:1");
        assert_eq!(banner.grpc, "127.0.0.1:2");
        assert_eq!(banner.metrics, "127.0.0.1:3");
        assert_eq!(banner.openai.as_deref(), Some("127.0.0.1:4"));
        assert_eq!(banner.tls, ["grpc", "openai"]);
    }

    #[test]
    fn missing_address_is_reported() {
        let error = Banner::parse("  http http://a:1\nready\n").unwrap_err();
        assert!(error.to_string().contains("`grpc`"), "{error}");
    }
}
