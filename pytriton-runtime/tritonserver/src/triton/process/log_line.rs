use tracing::Level;

/// One line of tritonserver's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LogLine {
    pub(super) level: Level,
    /// `file:line` in tritonserver's sources; empty for lines that are not from its log.
    pub(super) source: String,
    pub(super) message: String,
}

/// Error lines that are harmless: those of every start without a GPU, and that gRPC stops accepting
/// at shutdown.
const EXPECTED: &[&str] = &[
    "Failed accept4: Invalid argument",
    "Unable to allocate pinned system memory",
    "CudaDriverHelper has not been initialized",
    "Failed to initialize NVML",
    "DCGM unable to start",
];

impl LogLine {
    /// Parses a line. A line without the log's prefix continues the line above it, or reports an
    /// error outside the log.
    pub(super) fn parse(line: &str) -> Self {
        let mut parsed = prefixed(line).unwrap_or_else(|| Self {
            level: match line.starts_with("error:") || line.starts_with("Error:") {
                true => Level::ERROR,
                false => Level::DEBUG,
            },
            source: String::new(),
            message: line.to_owned(),
        });
        let expected = EXPECTED.iter().any(|text| parsed.message.contains(text));
        if expected && parsed.level < Level::DEBUG {
            parsed.level = Level::DEBUG;
        }
        parsed
    }
}

/// Parses `I1121 00:46:12.123456 42 model.cc:123] "message"`.
fn prefixed(line: &str) -> Option<LogLine> {
    let level = match line.as_bytes().first()? {
        b'I' => Level::INFO,
        b'W' => Level::WARN,
        b'E' | b'F' => Level::ERROR,
        _ => return None,
    };
    let (head, message) = line
        .split_once("] ")
        .or_else(|| Some((line.strip_suffix(']')?, "")))?;
    let mut words = head.get(1..)?.split_ascii_whitespace();
    let (day, _time, thread, source) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    if day.len() != 4 || !number(day) || !number(thread) || words.next().is_some() {
        return None;
    }
    let message = message.trim();
    let unquoted = match message.starts_with('"') {
        true => serde_json::from_str(message).ok(),
        false => None,
    };
    Some(LogLine {
        level,
        source: source.to_owned(),
        message: unquoted.unwrap_or_else(|| message.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_prefix_is_parsed() {
        let table = [
            (
                "I1121 00:47:11.386923 2149 grpc_server.cc:2558] \"Started GRPCInferenceService at 0.0.0.0:18001\"",
                (
                    Level::INFO,
                    "grpc_server.cc:2558",
                    "Started GRPCInferenceService at 0.0.0.0:18001",
                ),
            ),
            (
                "W0101 01:02:03.000004 1 a.cc:1] plain",
                (Level::WARN, "a.cc:1", "plain"),
            ),
            (
                "E0101 01:02:03.053923376   26513 b.cc:9]     UNKNOWN:x",
                (Level::ERROR, "b.cc:9", "UNKNOWN:x"),
            ),
            (
                "E0101 01:02:03.4 1 b.cc:9] \"a \\\"b\\\"\\nc\"",
                (Level::ERROR, "b.cc:9", "a \"b\"\nc"),
            ),
            (
                "E0101 01:02:03.4 1 b.cc:9] \"half",
                (Level::ERROR, "b.cc:9", "\"half"),
            ),
            (
                "I1121 00:47:11.375329 2149 server.cc:604] ",
                (Level::INFO, "server.cc:604", ""),
            ),
            (
                "error: creating server: Internal",
                (Level::ERROR, "", "error: creating server: Internal"),
            ),
            ("| Identity | 1 |", (Level::DEBUG, "", "| Identity | 1 |")),
            (
                "Error: Failed to initialize NVML",
                (Level::DEBUG, "", "Error: Failed to initialize NVML"),
            ),
            (
                "E1121 00:47:11.374828 2149 server.cc:241] \"CudaDriverHelper has not been initialized.\"",
                (
                    Level::DEBUG,
                    "server.cc:241",
                    "CudaDriverHelper has not been initialized.",
                ),
            ),
            (
                "Invalid argument [x] y",
                (Level::DEBUG, "", "Invalid argument [x] y"),
            ),
            ("", (Level::DEBUG, "", "")),
            ("Éé] x", (Level::DEBUG, "", "Éé] x")),
        ];
        for (line, (level, source, message)) in table {
            let expected = LogLine {
                level,
                source: source.to_owned(),
                message: message.to_owned(),
            };
            assert_eq!(LogLine::parse(line), expected, "{line}");
        }
    }
}
