use super::WireError;

/// Takes numbers and texts from the front of bytes.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads `bytes` from their start.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// A byte.
    ///
    /// # Errors
    ///
    /// [`WireError::Short`].
    pub fn u8(&mut self) -> Result<u8, WireError> {
        self.array().map(u8::from_le_bytes)
    }

    /// Four bytes.
    ///
    /// # Errors
    ///
    /// [`WireError::Short`].
    pub fn u32(&mut self) -> Result<u32, WireError> {
        self.array().map(u32::from_le_bytes)
    }

    /// Eight bytes.
    ///
    /// # Errors
    ///
    /// [`WireError::Short`].
    pub fn u64(&mut self) -> Result<u64, WireError> {
        self.array().map(u64::from_le_bytes)
    }

    /// Eight bytes with a sign.
    ///
    /// # Errors
    ///
    /// [`WireError::Short`].
    pub fn i64(&mut self) -> Result<i64, WireError> {
        self.array().map(i64::from_le_bytes)
    }

    /// Eight bytes that count or measure something in this process's memory.
    ///
    /// # Errors
    ///
    /// [`WireError::Number`] when they cannot.
    pub fn size(&mut self) -> Result<usize, WireError> {
        usize::try_from(self.u64()?).map_err(|_| WireError::Number)
    }

    /// A length and that many bytes.
    ///
    /// # Errors
    ///
    /// [`WireError::Short`].
    pub fn bytes(&mut self) -> Result<&'a [u8], WireError> {
        let len = self.u32()? as usize;
        let (bytes, rest) = self.rest.split_at_checked(len).ok_or(WireError::Short)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// A length and that many bytes of UTF-8.
    ///
    /// # Errors
    ///
    /// [`WireError::Text`] for other bytes.
    pub fn text(&mut self) -> Result<&'a str, WireError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| WireError::Text)
    }

    /// A count and that many entries, each of at least `least` bytes.
    ///
    /// # Errors
    ///
    /// [`WireError::Short`] when the rest cannot hold them, before anything is allocated for them.
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

    /// The same, without a place for them; returns how many there were.
    ///
    /// # Errors
    ///
    /// As [`list`](Self::list).
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

    /// How many bytes are left.
    pub fn len(&self) -> usize {
        self.rest.len()
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (array, rest) = self.rest.split_first_chunk().ok_or(WireError::Short)?;
        self.rest = rest;
        Ok(*array)
    }
}
