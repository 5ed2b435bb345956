//! The access log: one line for each request that a port received.

use std::fmt::{self, Display, Write};
use std::net::SocketAddr;
use std::time::Duration;

use pytriton_core::text::Legible;
use serde_json::Value;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};

use super::AccessLogFormat;

/// A line of the access log.
#[derive(Debug, Clone, Default)]
pub struct AccessLine<'a> {
    /// The address of the client, if known.
    pub client: Option<SocketAddr>,
    /// The method.
    pub method: &'a str,
    /// The path, without the query.
    pub path: &'a str,
    /// The protocol: `HTTP/1.0`, `HTTP/1.1`, `HTTP/2.0` or `gRPC`.
    pub protocol: &'a str,
    /// The HTTP status; `None` if the client disconnected before the response.
    pub status: Option<u16>,
    /// The status of a gRPC call, if it was sent.
    pub grpc_status: Option<u16>,
    /// The announced size of the request body.
    pub request_bytes: Option<u64>,
    /// The number of bytes of the response body that were handed to the connection.
    pub response_bytes: u64,
    /// The time from the head of the request to the end of the response.
    pub duration: Duration,
    /// Whether the response was not completed, for example because the client disconnected.
    pub is_cut: bool,
    /// The ID of the client's trace.
    pub trace_id: Option<u128>,
    /// The inferences of the request, if it reached a model.
    pub inference: Option<&'a InferenceSummary>,
}

/// The inferences of a request: one, or one for each message of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InferenceSummary {
    /// The model of the last inference.
    pub model: String,
    /// Its version.
    pub version: u32,
    /// The request ID of the last inference.
    pub id: String,
    /// The number of inferences.
    pub inferences: u64,
    /// The number of rows of all inferences.
    pub rows: usize,
    /// The number of rows of the largest batch with one of them; 0 if none was executed.
    pub batch_size: usize,
    /// The total time in the queue.
    pub queue: Duration,
    /// The total time of the calls; `None` if every inference ended before its call did, for
    /// example because the client disconnected.
    pub compute: Option<Duration>,
}

impl AccessLine<'_> {
    /// Returns the line, with its end.
    pub(super) fn format(&self, format: AccessLogFormat) -> String {
        let mut line = String::with_capacity(LINE_BYTES);
        // Writing to a `String` cannot fail.
        let _ = match format {
            AccessLogFormat::Text => self.text(&mut line, &SystemTime),
            AccessLogFormat::Json => self.json(&mut line, &SystemTime),
        };
        line.push('\n');
        line
    }

    fn text(&self, line: &mut String, time: &impl FormatTime) -> fmt::Result {
        time.format_time(&mut Writer::new(line))?;
        match self.client {
            Some(client) => write!(line, " {client} \"{} ", self.method)?,
            None => write!(line, " - \"{} ", self.method)?,
        }
        write!(line, "{}", Legible(self.path.replace('"', "%22")))?;
        write!(line, " {}\" ", self.protocol)?;
        match self.status {
            Some(status) => write!(line, "{status}")?,
            None => line.push('-'),
        }
        let duration = Milliseconds(self.duration);
        write!(line, " {} {duration}", self.response_bytes)?;
        if let Some(status) = self.grpc_status {
            write!(line, " grpc_status={status}")?;
        }
        if let Some(bytes) = self.request_bytes {
            write!(line, " request_bytes={bytes}")?;
        }
        if let Some(of) = self.inference {
            write!(line, " model={}/{}", of.model, of.version)?;
            if !of.id.is_empty() {
                write!(line, " id={:?}", of.id)?;
            }
            if of.inferences > 1 {
                write!(line, " inferences={}", of.inferences)?;
            }
            write!(line, " rows={}", of.rows)?;
            if of.batch_size > 0 {
                let (size, queue) = (of.batch_size, Milliseconds(of.queue));
                write!(line, " batch_size={size} queue={queue}")?;
            }
            if let Some(compute) = of.compute {
                write!(line, " compute={}", Milliseconds(compute))?;
            }
        }
        if let Some(id) = self.trace_id {
            write!(line, " trace_id={id:032x}")?;
        }
        if self.is_cut {
            line.push_str(" cut=true");
        }
        Ok(())
    }

    fn json(&self, line: &mut String, time: &impl FormatTime) -> fmt::Result {
        line.push_str("{\"timestamp\":\"");
        time.format_time(&mut Writer::new(line))?;
        line.push('"');
        if let Some(client) = self.client {
            write!(line, ",\"client\":\"{client}\"")?;
        }
        let (method, path) = (Quoted(self.method), Quoted(self.path));
        let protocol = self.protocol;
        write!(
            line,
            ",\"method\":{method},\"path\":{path},\"protocol\":\"{protocol}\""
        )?;
        let numbers = [
            ("status", self.status.map(u64::from)),
            ("grpc_status", self.grpc_status.map(u64::from)),
            ("request_bytes", self.request_bytes),
            ("response_bytes", Some(self.response_bytes)),
        ];
        for (name, number) in numbers {
            if let Some(number) = number {
                write!(line, ",\"{name}\":{number}")?;
            }
        }
        write!(
            line,
            ",\"duration_seconds\":{}",
            self.duration.as_secs_f64()
        )?;
        if let Some(of) = self.inference {
            let (model, version) = (Quoted(&of.model), of.version);
            write!(line, ",\"model\":{model},\"version\":{version}")?;
            if !of.id.is_empty() {
                write!(line, ",\"id\":{}", Quoted(&of.id))?;
            }
            if of.inferences > 1 {
                write!(line, ",\"inferences\":{}", of.inferences)?;
            }
            write!(line, ",\"rows\":{}", of.rows)?;
            if of.batch_size > 0 {
                let (size, queue) = (of.batch_size, of.queue.as_secs_f64());
                write!(line, ",\"batch_size\":{size},\"queue_seconds\":{queue}")?;
            }
            if let Some(compute) = of.compute {
                write!(line, ",\"compute_seconds\":{}", compute.as_secs_f64())?;
            }
        }
        if let Some(id) = self.trace_id {
            write!(line, ",\"trace_id\":\"{id:032x}\"")?;
        }
        if self.is_cut {
            line.push_str(",\"cut\":true");
        }
        line.push('}');
        Ok(())
    }
}

/// The usual size of a line.
const LINE_BYTES: usize = 512;

/// A duration in milliseconds.
struct Milliseconds(Duration);

impl Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}ms", 1e3 * self.0.as_secs_f64())
    }
}

/// A string in JSON.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
        match self.0.bytes().all(is_plain) {
            true => write!(f, "\"{}\"", self.0),
            false => write!(f, "{}", Value::from(self.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(inference: Option<&InferenceSummary>) -> AccessLine<'_> {
        AccessLine {
            client: Some(([127, 0, 0, 1], 5).into()),
            method: "POST",
            path: "/v2/models/A\"b/infer",
            protocol: "HTTP/1.1",
            status: Some(200),
            request_bytes: Some(7),
            response_bytes: 12,
            duration: Duration::from_micros(1500),
            trace_id: Some(0xab),
            inference,
            ..AccessLine::default()
        }
    }

    struct Fixed;

    impl FormatTime for Fixed {
        fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
            writer.write_str("T")
        }
    }

    fn text(line: &AccessLine<'_>) -> String {
        let mut text = String::new();
        line.text(&mut text, &Fixed).unwrap();
        text
    }

    #[test]
    fn lines_have_one_form_for_people_and_one_for_programs() {
        let inference = InferenceSummary {
            model: "A".to_owned(),
            version: 2,
            id: "a b".to_owned(),
            inferences: 1,
            rows: 1,
            batch_size: 8,
            queue: Duration::from_micros(250),
            compute: Some(Duration::from_millis(1)),
        };
        let expected = format!(
            "T 127.0.0.1:5 \"POST /v2/models/A%22b/infer HTTP/1.1\" 200 12 1.500ms request_bytes=7 \
             model=A/2 id=\"a b\" rows=1 batch_size=8 queue=0.250ms compute=1.000ms trace_id={:032x}",
            0xab
        );
        assert_eq!(text(&line(Some(&inference))), expected);
        let json = line(Some(&inference)).format(AccessLogFormat::Json);
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["path"], "/v2/models/A\"b/infer");
        assert_eq!(json["queue_seconds"], 0.00025);
        assert_eq!(json["compute_seconds"], 0.001);
        assert_eq!(json.get("cut"), None);
        let ended = InferenceSummary {
            compute: None,
            ..inference
        };
        let ended_text = text(&line(Some(&ended)));
        assert!(
            ended_text.contains(" queue=0.250ms trace_id="),
            "{ended_text}"
        );
        let json = line(Some(&ended)).format(AccessLogFormat::Json);
        assert!(!json.contains("compute"), "{json}");
        let lost = AccessLine {
            status: None,
            is_cut: true,
            trace_id: None,
            request_bytes: None,
            ..line(None)
        };
        let text = text(&lost);
        assert!(text.ends_with("\" - 12 1.500ms cut=true"), "{text}");
        let formatted = lost.format(AccessLogFormat::Json);
        assert!(formatted.ends_with("}\n") && formatted.contains("\"cut\":true"));
    }
}
