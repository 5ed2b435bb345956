use super::ProtocolError;

/// Reads numbers and strings from the front of bytes.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Creates a reader of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Reads a byte.
    ///
    /// # Errors
    ///
    /// Returns [`ProtocolError::Short`] if nothing is left.
    pub fn u8(&mut self) -> Result<u8, ProtocolError> {
        self.array().map(u8::from_le_bytes)
    }

    /// Reads four bytes.
    ///
    /// # Errors
    ///
    /// Returns [`ProtocolError::Short`] if fewer are left.
    pub fn u32(&mut self) -> Result<u32, ProtocolError> {
        self.array().map(u32::from_le_bytes)
    }

    /// Reads eight bytes.
    ///
    /// # Errors
    ///
    /// Returns [`ProtocolError::Short`] if fewer are left.
    pub fn u64(&mut self) -> Result<u64, ProtocolError> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads eight bytes as a signed number.
    ///
    /// # Errors
    ///
    /// Returns [`ProtocolError::Short`] if fewer are left.
    pub fn i64(&mut self) -> Result<i64, ProtocolError> {
        self.array().map(i64::from_le_bytes)
    }

    /// Reads eight bytes as a size in memory.
    ///
    /// # Errors
    ///
    /// Returns [`ProtocolError::Number`] if the size is out of range.
    pub fn size(&mut self) -> Result<usize, ProtocolError> {
        usize::try_from(self.u64()?).map_err(|_| ProtocolError::Number)
    }

    /// Reads a length and that many bytes.
    ///
    /// # Errors
    ///
    /// Returns [`ProtocolError::Short`] if fewer are left.
    pub fn bytes(&mut self) -> Result<&'a [u8], ProtocolError> {
        let len = self.u32()? as usize;
        let (bytes, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or(ProtocolError::Short)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// Reads a length and that many bytes of UTF-8.
    ///
    /// # Errors
    ///
    /// Returns [`ProtocolError::Text`] if they are not UTF-8.
    pub fn text(&mut self) -> Result<&'a str, ProtocolError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| ProtocolError::Text)
    }

    /// Reads a count and that many entries of at least `min_bytes` bytes each.
    ///
    /// # Errors
    ///
    /// Returns [`ProtocolError::Short`] if the rest cannot hold them, before any allocation.
    pub fn list<T>(
        &mut self,
        min_bytes: usize,
        mut entry: impl FnMut(&mut Self) -> Result<T, ProtocolError>,
    ) -> Result<Vec<T>, ProtocolError> {
        let mut entries = Vec::new();
        self.each(min_bytes, |reader| {
            entries.push(entry(reader)?);
            Ok(())
        })?;
        Ok(entries)
    }

    /// Same as [`list`](Self::list), without collecting the entries. Returns their number.
    ///
    /// # Errors
    ///
    /// Same as [`list`](Self::list).
    pub fn each(
        &mut self,
        min_bytes: usize,
        mut entry: impl FnMut(&mut Self) -> Result<(), ProtocolError>,
    ) -> Result<usize, ProtocolError> {
        let count = self.u32()? as usize;
        if count > self.rest.len() / min_bytes.max(1) {
            return Err(ProtocolError::Short);
        }
        for _ in 0..count {
            entry(self)?;
        }
        Ok(count)
    }

    /// Returns the number of bytes left.
    pub fn len(&self) -> usize {
        self.rest.len()
    }

    /// Returns whether no bytes are left.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ProtocolError> {
        let (array, rest) = self.rest.split_first_chunk().ok_or(ProtocolError::Short)?;
        self.rest = rest;
        Ok(*array)
    }
}
