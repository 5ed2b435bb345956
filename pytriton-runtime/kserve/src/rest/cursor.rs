use super::decimal::Decimal;

const POWERS: [u64; 9] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// Parses the digits at the beginning of a text, all bytes at once. Returns their value and their
/// number.
#[inline]
fn leading_digits(text: [u8; 8]) -> (u64, usize) {
    const HIGH: u64 = 0x80 * (u64::MAX / 0xff);
    let text = u64::from_le_bytes(text) ^ (0x30 * (u64::MAX / 0xff));
    // A carry can only change bytes after the first one that is not a digit.
    let others = (text.wrapping_add(0x76 * (u64::MAX / 0xff)) | text) & HIGH;
    let count = others.trailing_zeros() / 8;
    let Some(digits) = text.checked_shl(u64::BITS - 8 * count) else {
        return (0, 0);
    };
    // Combines neighbors into numbers of two, then four, then eight digits.
    let pairs = digits.wrapping_mul((10 << 8) + 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul((100 << 16) + 1) >> 16 & 0x0000_ffff_0000_ffff;
    let all = fours.wrapping_mul((10_000 << 32) + 1) >> 32;
    (all, count as usize)
}

/// Returns the number of leading bytes that need no escaping in an ASCII string, all bytes at once.
#[inline]
fn unescaped_bytes(text: [u8; 8]) -> usize {
    const ONES: u64 = u64::MAX / 0xff;
    let text = u64::from_le_bytes(text);
    // The high bit is set if the byte matches. A borrow can only change bytes after the first
    // match.
    let is = |byte: u8| (text ^ (u64::from(byte) * ONES)).wrapping_sub(ONES);
    let control = text.wrapping_sub(u64::from(b' ') * ONES);
    let delete = text.wrapping_add(ONES);
    let others = (is(b'"') | is(b'\\') | control | delete | text) & (0x80 * ONES);
    (others.trailing_zeros() / 8) as usize
}

/// The rest of a JSON text. Everything that has been skipped is ASCII.
pub(super) struct Cursor<'a>(pub(super) &'a [u8]);

impl<'a> Cursor<'a> {
    #[inline]
    pub(super) fn blanks(&mut self) {
        while let [first @ ..=b' ', rest @ ..] = self.0
            && matches!(first, b' ' | b'\t' | b'\n' | b'\r')
        {
            self.0 = rest;
        }
    }

    /// Skips whitespace and a byte. Returns whether the byte was found.
    #[inline]
    pub(super) fn is(&mut self, byte: u8) -> bool {
        self.blanks();
        self.sign(byte).is_some()
    }

    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> Option<()> {
        self.is(byte).then_some(())
    }

    /// Skips a byte without whitespace before it.
    #[inline]
    fn sign(&mut self, byte: u8) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        if *first != byte {
            return None;
        }
        self.0 = rest;
        Some(())
    }

    /// Parses an ASCII string without escapes.
    pub(super) fn text(&mut self) -> Option<&'a [u8]> {
        self.eat(b'"')?;
        let all = self.0;
        // Most strings end within these bytes.
        let mut length = all.first_chunk().map_or(0, |bytes| unescaped_bytes(*bytes));
        while let b' '..=b'!' | b'#'..=b'[' | b']'..=b'~' = all.get(length)? {
            length += 1;
        }
        self.0 = &all[length..];
        self.sign(b'"')?;
        Some(&all[..length])
    }

    /// Parses a JSON number.
    #[inline]
    pub(super) fn number(&mut self) -> Option<Decimal<'a>> {
        self.blanks();
        let all = self.0;
        let mut number = Decimal {
            negative: self.sign(b'-').is_some(),
            integer: true,
            ..Decimal::default()
        };
        if self.sign(b'0').is_some() {
            number.count = 1;
        } else {
            number.count = self.digits(&mut number.digits)?;
        }
        if self.sign(b'.').is_some() {
            let fraction = self.digits(&mut number.digits)?;
            number.integer = false;
            number.count += fraction;
            number.exponent = i32::try_from(fraction).ok()?.wrapping_neg();
        }
        if self.sign(b'e').or_else(|| self.sign(b'E')).is_some() {
            let negative = self.sign(b'-').is_some();
            if !negative {
                let _ = self.sign(b'+');
            }
            let mut exponent = 0;
            // More digits would mean zero or infinity.
            if self.digits(&mut exponent)? > 4 {
                return None;
            }
            let exponent = i32::try_from(exponent).ok()?;
            number.integer = false;
            number.exponent += if negative { -exponent } else { exponent };
        }
        number.text = &all[..all.len() - self.0.len()];
        Some(number)
    }

    /// Skips digits and appends them to a number. Returns how many there are.
    #[inline]
    fn digits(&mut self, number: &mut u64) -> Option<usize> {
        // Most numbers have a single digit before the decimal point, or a single digit.
        if let [digit @ b'0'..=b'9', next, ..] = self.0
            && !next.is_ascii_digit()
        {
            *number = number
                .wrapping_mul(10)
                .wrapping_add(u64::from(digit - b'0'));
            self.0 = &self.0[1..];
            return Some(1);
        }
        let before = self.0.len();
        while let Some(text) = self.0.first_chunk() {
            let (digits, count) = leading_digits(*text);
            *number = number.wrapping_mul(POWERS[count]).wrapping_add(digits);
            self.0 = &self.0[count..];
            if count < text.len() {
                break;
            }
        }
        while let [digit @ b'0'..=b'9', rest @ ..] = self.0 {
            let digit = u64::from(digit - b'0');
            *number = number.wrapping_mul(10).wrapping_add(digit);
            self.0 = rest;
        }
        let count = before - self.0.len();
        (count > 0).then_some(count)
    }

    pub(super) fn members(
        &mut self,
        mut member: impl FnMut(&mut Self, &'a [u8]) -> Option<()>,
    ) -> Option<()> {
        self.eat(b'{')?;
        loop {
            let name = self.text()?;
            self.eat(b':')?;
            member(self, name)?;
            if !self.is(b',') {
                return self.eat(b'}');
            }
        }
    }

    pub(super) fn items(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.eat(b'[')?;
        loop {
            item(self)?;
            if !self.is(b',') {
                return self.eat(b']');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_end_plain_bytes() {
        for byte in 0..=u8::MAX {
            for at in 0..8 {
                let mut text = *b"abcdefgh";
                text[at] = byte;
                let usual = matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
                assert_eq!(
                    unescaped_bytes(text),
                    if usual { 8 } else { at },
                    "{byte} at {at}"
                );
            }
        }
    }

    #[test]
    fn digits_are_read_before_any_byte() {
        const DIGITS: &str = "9081726354908172635";
        for count in 0..=DIGITS.len() {
            for behind in (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit()) {
                for more in 0..10 {
                    let mut text = DIGITS.as_bytes()[..count].to_vec();
                    text.push(behind);
                    text.extend_from_slice(&DIGITS.as_bytes()[..more]);
                    let mut number = 0;
                    let mut cursor = Cursor(&text);
                    let read = cursor.digits(&mut number);
                    assert_eq!(read, Some(count).filter(|count| *count > 0));
                    assert_eq!(number, DIGITS[..count].parse().unwrap_or(0));
                    assert_eq!(cursor.0.len(), 1 + more);
                }
            }
        }
    }
}
