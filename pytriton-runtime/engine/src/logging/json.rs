use std::io::{self, Write};

use pytriton_core::text::{IN_LOG, in_log};
use serde_json::Value;

/// Writes lines of JSON, with a limit on the length of the strings in them.
#[derive(Debug)]
pub(super) struct BoundedLines<W>(pub(super) W);

impl<W: Write> Write for BoundedLines<W> {
    /// Writes one line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match bounded(line) {
            Some(shorter) => self.0.write_all(&shorter)?,
            None => self.0.write_all(line)?,
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Shortens the long strings of a line. Returns `None` if nothing has to be shortened.
fn bounded(line: &[u8]) -> Option<Vec<u8>> {
    if line.len() <= IN_LOG {
        return None;
    }
    let mut value = serde_json::from_slice(line).ok()?;
    shorten(&mut value);
    let mut shorter = serde_json::to_vec(&value).ok()?;
    shorter.push(b'\n');
    Some(shorter)
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > IN_LOG => *text = in_log(text),
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Object(values) => values.values_mut().for_each(shorten),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_strings_are_truncated() {
        let mut log = Vec::new();
        let short = "{\"b\":\"x\\n\",\"a\":1}\n";
        let long = format!(
            "{{\"a\":\"{}\",\"b\":{{\"c\":[\"\\u001b{}\"]}}}}\n",
            "x".repeat(IN_LOG),
            "y".repeat(IN_LOG)
        );
        for line in [short, &long] {
            BoundedLines(&mut log).write_all(line.as_bytes()).unwrap();
        }
        let log = String::from_utf8(log).unwrap();
        let (first, second) = log.split_once('\n').unwrap();
        assert_eq!(first, short.trim_end());
        let value: Value = serde_json::from_str(second).unwrap();
        assert_eq!(value["a"].as_str().unwrap().len(), IN_LOG);
        assert!(
            value["b"]["c"][0]
                .as_str()
                .unwrap()
                .ends_with("yyy… (1 more bytes)")
        );
        assert!(second.ends_with('\n') && second.lines().count() == 1);
    }
}
