use itoa::Integer;

use super::Float;

/// Writes JSON without blanks, as Triton does, and puts the commas.
#[derive(Debug, Default)]
pub(crate) struct JsonWriter {
    out: Vec<u8>,
}

impl JsonWriter {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            out: Vec::with_capacity(capacity),
        }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.out
    }

    /// The name of the member whose value is written next, in which nothing must be escaped.
    pub(crate) fn name(&mut self, name: &'static str) -> &mut Self {
        self.separate();
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self
    }

    /// The same of any text.
    pub(crate) fn key(&mut self, name: &str) -> &mut Self {
        self.string(name.as_bytes());
        self.out.push(b':');
        self
    }

    pub(crate) fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.begin(b'{');
        members(self);
        self.end(b'}');
    }

    pub(crate) fn array<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.begin(b'[');
        for item in items {
            write(self, item);
        }
        self.end(b']');
    }

    /// Opens an array or object that `end` closes, for writers that may fail in between.
    pub(crate) fn begin(&mut self, bracket: u8) {
        self.separate();
        self.out.push(bracket);
    }

    pub(crate) fn end(&mut self, bracket: u8) {
        self.out.push(bracket);
    }

    /// What another writer has written before.
    pub(crate) fn written(&mut self, json: &[u8]) {
        self.separate();
        self.out.extend_from_slice(json);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.string(text.as_bytes());
    }

    /// A string of bytes that need not be UTF-8: what JSON must escape is escaped, everything else is passed on.
    pub(crate) fn string(&mut self, bytes: &[u8]) {
        self.separate();
        self.out.push(b'"');
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|&byte| needs_escape(byte)) {
            self.out.extend_from_slice(&rest[..at]);
            self.escape(rest[at]);
            rest = &rest[at + 1..];
        }
        self.out.extend_from_slice(rest);
        self.out.push(b'"');
    }

    pub(crate) fn integer(&mut self, integer: impl Integer) {
        self.separate();
        self.out
            .extend_from_slice(itoa::Buffer::new().format(integer).as_bytes());
    }

    pub(crate) fn float(&mut self, float: impl Float) {
        self.separate();
        float.write(&mut self.out);
    }

    pub(crate) fn boolean(&mut self, boolean: bool) {
        self.separate();
        let text: &[u8] = if boolean { b"true" } else { b"false" };
        self.out.extend_from_slice(text);
    }

    /// A comma, unless this is the first of its kind: no value ends with one of these.
    fn separate(&mut self) {
        if !matches!(self.out.last(), None | Some(b'{' | b'[' | b':')) {
            self.out.push(b',');
        }
    }

    fn escape(&mut self, byte: u8) {
        let short = match byte {
            b'"' | b'\\' => byte,
            0x08 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            0x0c => b'f',
            b'\r' => b'r',
            _ => {
                const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
                self.out.extend_from_slice(b"\\u00");
                self.out.push(DIGITS[usize::from(byte >> 4)]);
                self.out.push(DIGITS[usize::from(byte & 0xf)]);
                return;
            }
        };
        self.out.extend_from_slice(&[b'\\', short]);
    }
}

fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puts_commas_and_escapes() {
        let mut json = JsonWriter::default();
        json.object(|json| {
            json.name("a:").array([1, 2], JsonWriter::integer);
            json.name("b{").array([true, false], JsonWriter::boolean);
            json.name("c[").array([0.5, 1.0], JsonWriter::float);
            json.name("d").object(|json| {
                json.name("e").array([0; 0], JsonWriter::integer);
                json.name("f").object(|_| {});
            });
            json.name("g").text("é");
            json.name("h")
                .string(b"\x01\x1f\x7f\x08\x0c\n\r\t\"\\/\0\xff\xfe");
        });
        let expected = b"{\"a:\":[1,2],\"b{\":[true,false],\"c[\":[0.5,1.0],\"d\":{\"e\":[],\"f\":{}},\"g\":\"\xc3\xa9\",\
            \"h\":\"\\u0001\\u001F\x7f\\b\\f\\n\\r\\t\\\"\\\\/\\u0000\xff\xfe\"}";
        assert_eq!(
            json.finish(),
            expected,
            "{}",
            String::from_utf8_lossy(expected)
        );
    }
}
