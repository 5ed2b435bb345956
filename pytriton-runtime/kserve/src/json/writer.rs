use itoa::Integer;
use pytriton_core::free_bytes::FreeBytes;
use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use pytriton_core::tracked_buffer::TrackedBuffer;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_core::uncounted::Uncounted;

use super::Float;

/// The maximum length of a number, escape or literal in bytes.
pub(super) const MAX_SCALAR_BYTES: usize = 48;

/// Writes JSON without whitespace, as Triton does, and inserts commas.
///
/// If the writer has a permit, its memory is reserved as it grows. When it cannot grow, it drops
/// its contents, and [`finish_reserved`](Self::finish_reserved) returns the error.
#[derive(Debug)]
pub struct JsonWriter {
    out: TrackedBuffer,
    refused: Option<MemoryBudgetError>,
}

impl Default for JsonWriter {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

impl JsonWriter {
    /// Creates a writer for JSON whose size does not depend on clients or functions.
    pub fn with_capacity(capacity: usize) -> Self {
        Self::reserving(MemoryPermit::uncounted(Uncounted::ServerText), capacity)
    }

    /// Creates a writer that reserves its memory with `permit`, initially about `capacity` bytes.
    pub fn reserving(permit: MemoryPermit, capacity: usize) -> Self {
        let mut out = TrackedBuffer::new(permit);
        // An estimate. If it fails, memory is reserved as needed.
        if capacity > 0 {
            let _ = out.reserve(capacity);
        }
        Self { out, refused: None }
    }

    /// Returns an empty permit of the same budget.
    pub fn sibling(&self) -> MemoryPermit {
        self.out.sibling()
    }

    /// Returns the text.
    pub fn finish(self) -> Vec<u8> {
        self.out.into_uncounted(Uncounted::ServerText)
    }

    /// Returns the text with its reservation.
    ///
    /// # Errors
    ///
    /// Returns a [`MemoryBudgetError`] if memory could not be reserved.
    pub fn finish_reserved(self) -> Result<TrackedBytes, MemoryBudgetError> {
        match self.refused {
            None => Ok(self.out.freeze()),
            Some(error) => Err(error),
        }
    }

    /// Appends bytes outside of the JSON text, without a comma.
    #[inline]
    pub fn raw(&mut self, bytes: &[u8]) {
        if let Some(mut out) = self.with_space(bytes.len()) {
            out.extend_from_slice(bytes);
        }
    }

    /// Returns a writer with space for `bytes` more, or `None` if they cannot be reserved.
    #[inline]
    fn with_space(&mut self, bytes: usize) -> Option<FreeBytes<'_>> {
        if bytes > self.out.free() && !self.grow(bytes) {
            return None;
        }
        Some(self.out.free_mut())
    }

    /// Returns a writer for a value, after a comma if one is needed. No comma follows these
    /// bytes, and no value ends with one of them.
    #[inline]
    fn value(&mut self, bytes: usize) -> Option<FreeBytes<'_>> {
        let mut out = self.with_space(bytes.saturating_add(1))?;
        if !matches!(
            out.as_slice().last(),
            None | Some(b'{' | b'[' | b':' | b' ')
        ) {
            out.push(b',');
        }
        Some(out)
    }

    #[cold]
    fn grow(&mut self, bytes: usize) -> bool {
        if self.refused.is_some() {
            return false;
        }
        self.refused = self.out.reserve(bytes).err();
        self.refused.is_none()
    }

    /// Writes the name of a member, which must not need escaping. Its value follows.
    #[inline]
    pub fn name(&mut self, name: &'static str) -> &mut Self {
        if let Some(mut out) = self.value(name.len() + 3) {
            out.push(b'"');
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b"\":");
        }
        self
    }

    /// Like [`name`](Self::name), for any string.
    pub fn key(&mut self, name: &str) -> &mut Self {
        self.string(name.as_bytes());
        self.raw(b":");
        self
    }

    /// Writes an object whose members the function writes.
    pub fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.begin(b'{');
        members(self);
        self.end(b'}');
    }

    /// Writes an array, with the function for each item.
    pub fn array<T>(
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
    #[inline]
    pub fn begin(&mut self, bracket: u8) {
        if let Some(mut out) = self.value(1) {
            out.push(bracket);
        }
    }

    /// Closes the array or object that `begin` has opened.
    #[inline]
    pub fn end(&mut self, bracket: u8) {
        if let Some(mut out) = self.with_space(1) {
            out.push(bracket);
        }
    }

    /// Writes a value that is already encoded.
    #[inline]
    pub fn written(&mut self, json: &[u8]) {
        if let Some(mut out) = self.value(json.len()) {
            out.extend_from_slice(json);
        }
    }

    /// Writes a string.
    pub fn text(&mut self, text: &str) {
        self.string(text.as_bytes());
    }

    /// Writes a string of bytes that need not be UTF-8. Escapes what JSON requires and copies
    /// everything else.
    pub fn string(&mut self, bytes: &[u8]) {
        let Some(mut out) = self.value(bytes.len().saturating_add(2)) else {
            return;
        };
        out.push(b'"');
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|&byte| needs_escape(byte)) {
            let Some(mut out) = self.with_space(rest.len() + MAX_SCALAR_BYTES) else {
                return;
            };
            out.extend_from_slice(&rest[..at]);
            escape(rest[at], &mut out);
            rest = &rest[at + 1..];
        }
        if let Some(mut out) = self.with_space(rest.len() + 1) {
            out.extend_from_slice(rest);
            out.push(b'"');
        }
    }

    /// Writes an integer.
    #[inline]
    pub fn integer(&mut self, integer: impl Integer) {
        if let Some(mut out) = self.value(MAX_SCALAR_BYTES) {
            out.extend_from_slice(itoa::Buffer::new().format(integer).as_bytes());
        }
    }

    /// Writes a float with the fewest digits that parse to the same value.
    #[inline]
    pub fn float(&mut self, float: impl Float) {
        if let Some(mut out) = self.value(MAX_SCALAR_BYTES) {
            float.write(&mut out);
        }
    }

    /// Writes a boolean.
    pub fn boolean(&mut self, boolean: bool) {
        if let Some(mut out) = self.value(MAX_SCALAR_BYTES) {
            let text: &[u8] = if boolean { b"true" } else { b"false" };
            out.extend_from_slice(text);
        }
    }
}

fn escape(byte: u8, out: &mut FreeBytes<'_>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => {
            const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
            out.extend_from_slice(b"\\u00");
            out.push(DIGITS[usize::from(byte >> 4)]);
            out.push(DIGITS[usize::from(byte & 0xf)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_escapes_are_written() {
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

    #[test]
    fn text_that_cannot_be_reserved_is_dropped_and_reported() {
        use pytriton_core::memory_budget::MemoryBudget;

        const KIB: usize = 1 << 10;
        let budget = MemoryBudget::new(64 * KIB);
        // Every byte takes six when escaped, which the estimate from the length does not include.
        for (bytes, fits) in [(0, true), (1000, true), (3 * KIB, true), (11 * KIB, false)] {
            let mut json = JsonWriter::reserving(budget.empty_permit(), bytes);
            json.array([(), ()], |json, ()| json.string(&vec![1; bytes / 2]));
            assert!(budget.reserved() <= 64 * KIB);
            let text = json.finish_reserved();
            assert_eq!(text.is_ok(), fits, "{bytes}");
            if let Ok(text) = text {
                assert_eq!(text.len(), bytes / 2 * 2 * 6 + 7);
                assert!(text.len() < 4 * KIB || budget.reserved() >= text.len());
            }
        }
        assert_eq!(budget.reserved(), 0);
    }
}
