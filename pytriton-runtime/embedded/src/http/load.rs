use std::fmt::Write;

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use crate::repository::{Load, Model};

use super::head::value;
use super::response::HttpResponse;

static FORMAT: HeaderName = HeaderName::from_static("endpoint-load-metrics-format");
static METRICS: HeaderName = HeaderName::from_static("endpoint-load-metrics");

/// The format in which a client, usually a load-balancing proxy, requests the load of a model: that
/// of ORCA (Open Request Cost Aggregation).
///
/// Source: `orca_http.cc` of Triton's server from 25.03, and Envoy's `OrcaLoadReport`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoadFormat {
    Json,
    Text,
}

impl LoadFormat {
    /// Returns the format requested by the headers. Unknown formats are ignored.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        match value(headers, &FORMAT)?.as_bytes() {
            b"json" => Some(Self::Json),
            b"text" => Some(Self::Text),
            _ => None,
        }
    }

    /// Adds the load of the model to a response.
    pub(super) fn write_header(self, response: &mut HttpResponse, model: &Model) {
        // The value consists of digits and names.
        if let Ok(value) = HeaderValue::try_from(self.write(&model.load())) {
            response.headers_mut().insert(METRICS.clone(), value);
        }
    }

    fn write(self, load: &Load) -> String {
        let utilization = load.utilization();
        let Load {
            waiting, running, ..
        } = load;
        let mut text = String::new();
        // Writing to a `String` cannot fail.
        let _ = match self {
            Self::Json => write!(
                text,
                "JSON {{\"application_utilization\":{utilization},\"named_metrics\":{{\"queue_length\":{waiting},\
                 \"requests_running\":{running}}}}}"
            ),
            Self::Text => write!(
                text,
                "TEXT application_utilization={utilization:.6}, named_metrics.queue_length={:.6}, \
                 named_metrics.requests_running={:.6}",
                *waiting as f64, *running as f64
            ),
        };
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_has_the_formats_of_load_balancers() {
        let load = Load {
            waiting: 3,
            running: 1,
            capacity: 8,
        };
        assert_eq!(
            LoadFormat::Json.write(&load),
            r#"JSON {"application_utilization":0.5,"named_metrics":{"queue_length":3,"requests_running":1}}"#
        );
        assert_eq!(
            LoadFormat::Text.write(&load),
            "TEXT application_utilization=0.500000, named_metrics.queue_length=3.000000, \
             named_metrics.requests_running=1.000000"
        );
        let mut headers = HeaderMap::new();
        assert_eq!(LoadFormat::of(&headers), None);
        for (value, expected) in [
            ("json", Some(LoadFormat::Json)),
            ("text", Some(LoadFormat::Text)),
            ("bin", None),
        ] {
            headers.insert(FORMAT.clone(), HeaderValue::from_static(value));
            assert_eq!(LoadFormat::of(&headers), expected);
        }
    }
}
