/// Appends numbers and texts.
#[derive(Debug)]
pub struct Writer<'a>(pub &'a mut Vec<u8>);

impl Writer<'_> {
    /// A byte.
    pub fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    /// Four bytes.
    pub fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Eight bytes.
    pub fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Eight bytes with a sign.
    pub fn i64(&mut self, value: i64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// How many entries follow. More than the number can say are never written: their bytes would not fit memory.
    pub fn count(&mut self, count: usize) {
        self.u32(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// A length and that many bytes; bytes beyond 4 GiB are cut off.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        self.u32(len);
        self.0.extend_from_slice(&bytes[..len as usize]);
    }

    /// A count and that many dimensions.
    pub fn dims(&mut self, dims: &[i64]) {
        self.count(dims.len());
        for &dim in dims {
            self.i64(dim);
        }
    }
}
