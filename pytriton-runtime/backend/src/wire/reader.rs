use super::WireError;

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
    /// Returns [`WireError::Short`] if nothing is left.
    pub fn u8(&mut self) -> Result<u8, WireError> {
        self.array().map(u8::from_le_bytes)
    }

    /// Reads four bytes.
    ///
    /// # Errors
    ///
    /// Returns [`WireError::Short`] if fewer are left.
    pub fn u32(&mut self) -> Result<u32, WireError> {
        self.array().map(u32::from_le_bytes)
    }

    /// Reads eight bytes.
    ///
    /// # Errors
    ///
    /// Returns [`WireError::Short`] if fewer are left.
    pub fn u64(&mut self) -> Result<u64, WireError> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads eight bytes as a signed number.
    ///
    /// # Errors
    ///
    /// Returns [`WireError::Short`] if fewer are left.
    pub fn i64(&mut self) -> Result<i64, WireError> {
        self.array().map(i64::from_le_bytes)
    }

    /// Reads eight bytes as a size in memory.
    ///
    /// # Errors
    ///
    /// Returns [`WireError::Number`] if the size is out of range.
    pub fn size(&mut self) -> Result<usize, WireError> {
        usize::try_from(self.u64()?).map_err(|_| WireError::Number)
    }

    /// Reads a length and that many bytes.
    ///
    /// # Errors
    ///
    /// Returns [`WireError::Short`] if fewer are left.
    pub fn bytes(&mut self) -> Result<&'a [u8], WireError> {
        let len = self.u32()? as usize;
        let (bytes, rest) = self.rest.split_at_checked(len).ok_or(WireError::Short)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// Reads a length and that many bytes of UTF-8.
    ///
    /// # Errors
    ///
    /// Returns [`WireError::Text`] if they are not UTF-8.
    pub fn text(&mut self) -> Result<&'a str, WireError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| WireError::Text)
    }

    /// Reads a count and that many entries of at least `least` bytes each.
    ///
    /// # Errors
    ///
    /// Returns [`WireError::Short`] if the rest cannot hold them, before any allocation.
    pub fn list<T>(
        &mut self,
        least: usize,
        mut entry: impl FnMut(&mut Self) -> Result<T, WireError>,
    ) -> Result<Vec<T>, WireError> {
        let mut entries = Vec::new();
        self.each(least, |reader| {
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
        least: usize,
        mut entry: impl FnMut(&mut Self) -> Result<(), WireError>,
    ) -> Result<usize, WireError> {
        let count = self.u32()? as usize;
        if count > self.rest.len() / least.max(1) {
            return Err(WireError::Short);
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

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (array, rest) = self.rest.split_first_chunk().ok_or(WireError::Short)?;
        self.rest = rest;
        Ok(*array)
    }
}
