/// Appends numbers and strings.
#[derive(Debug)]
pub struct Writer<'a>(pub &'a mut Vec<u8>);

impl Writer<'_> {
    /// Writes a byte.
    pub fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    /// Writes four bytes.
    pub fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Writes eight bytes.
    pub fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Writes eight bytes as a signed number.
    pub fn i64(&mut self, value: i64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Writes the number of entries that follow. A larger number than fits is impossible: its
    /// entries would not fit into memory.
    pub fn count(&mut self, count: usize) {
        self.u32(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// Writes a length and that many bytes. Bytes beyond 4 GiB are cut off.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        self.u32(len);
        self.0.extend_from_slice(&bytes[..len as usize]);
    }

    /// Writes a count and that many dimensions.
    pub fn dims(&mut self, dims: &[i64]) {
        self.count(dims.len());
        for &dim in dims {
            self.i64(dim);
        }
    }
}
