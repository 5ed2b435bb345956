use std::str::from_utf8;

use bytemuck::NoUninit;
use bytes::Bytes;

use crate::model::ModelSpec;
use crate::request::{InferInput, InferRequest};
use crate::tensor::DataType;

use super::decimal::{Decimal, FromDecimal};

/// Inputs, and dimensions of one, as most requests have them: more are counted elsewhere.
const MOST: usize = 64;

/// Reads a request of the form in which most come: an id and inputs of numbers without nesting, and nothing else.
///
/// `None` where it is of any other form, or has a mistake: the way for all requests finds out, and says what is wrong.
pub(super) fn quick(json: &[u8], model: &ModelSpec, max_depth: usize) -> Option<InferRequest> {
    let mut json = Cursor(json);
    let mut request = InferRequest::default();
    let (mut id, mut inputs) = (None, None);
    json.members(|json, member| match member {
        b"id" => put(&mut id, from_utf8(json.text()?).ok()?),
        b"inputs" => put(&mut inputs, json.inputs(model)?),
        _ => None,
    })?;
    json.blanks();
    if !json.0.is_empty() || max_depth == 0 {
        return None;
    }
    request.inputs = inputs?;
    id.unwrap_or_default().clone_into(&mut request.id);
    Some(request)
}

/// Fills what no member has filled before.
fn put<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

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

/// The number that the digits at the beginning of a text make, and how many they are; all bytes at a time.
#[inline]
fn leading_digits(text: [u8; 8]) -> (u64, usize) {
    const HIGH: u64 = 0x80 * (u64::MAX / 0xff);
    let text = u64::from_le_bytes(text) ^ (0x30 * (u64::MAX / 0xff));
    // Only behind the first byte that is no digit a carry makes a difference.
    let others = (text.wrapping_add(0x76 * (u64::MAX / 0xff)) | text) & HIGH;
    let count = others.trailing_zeros() / 8;
    let Some(digits) = text.checked_shl(u64::BITS - 8 * count) else {
        return (0, 0);
    };
    // Neighbours become one number of two, then four, then eight digits.
    let pairs = digits.wrapping_mul((10 << 8) + 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul((100 << 16) + 1) >> 16 & 0x0000_ffff_0000_ffff;
    let all = fours.wrapping_mul((10_000 << 32) + 1) >> 32;
    (all, count as usize)
}

/// How many bytes at the beginning of a text stand for themselves in a string of ASCII, all at a time.
#[inline]
fn usual_bytes(text: [u8; 8]) -> usize {
    const ONES: u64 = u64::MAX / 0xff;
    let text = u64::from_le_bytes(text);
    // Below zero where a byte is the one that is looked for. Only behind the first one a borrow makes a difference.
    let is = |byte: u8| (text ^ (u64::from(byte) * ONES)).wrapping_sub(ONES);
    let control = text.wrapping_sub(u64::from(b' ') * ONES);
    let delete = text.wrapping_add(ONES);
    let others = (is(b'"') | is(b'\\') | control | delete | text) & (0x80 * ONES);
    (others.trailing_zeros() / 8) as usize
}

/// What is left of a JSON text. What is stepped over is ASCII.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    #[inline]
    fn blanks(&mut self) {
        while let [first @ ..=b' ', rest @ ..] = self.0
            && matches!(first, b' ' | b'\t' | b'\n' | b'\r')
        {
            self.0 = rest;
        }
    }

    /// Steps over a byte, and says whether it is there.
    #[inline]
    fn is(&mut self, byte: u8) -> bool {
        self.blanks();
        self.sign(byte).is_some()
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> Option<()> {
        self.is(byte).then_some(())
    }

    /// Steps over a byte without blanks before it.
    #[inline]
    fn sign(&mut self, byte: u8) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        if *first != byte {
            return None;
        }
        self.0 = rest;
        Some(())
    }

    /// A string of ASCII in which nothing is escaped.
    fn text(&mut self) -> Option<&'a [u8]> {
        self.eat(b'"')?;
        let all = self.0;
        // Most end there.
        let mut length = all.first_chunk().map_or(0, |bytes| usual_bytes(*bytes));
        while let b' '..=b'!' | b'#'..=b'[' | b']'..=b'~' = all.get(length)? {
            length += 1;
        }
        self.0 = &all[length..];
        self.sign(b'"')?;
        Some(&all[..length])
    }

    /// A number as JSON writes it.
    #[inline]
    fn number(&mut self) -> Option<Decimal<'a>> {
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
            // Nobody writes more of them for anything but zero or infinity.
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

    /// Steps over digits and appends them to a number; says how many there are.
    #[inline]
    fn digits(&mut self, number: &mut u64) -> Option<usize> {
        // Most numbers have one digit before their point, or no other.
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

    fn members(&mut self, mut member: impl FnMut(&mut Self, &'a [u8]) -> Option<()>) -> Option<()> {
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

    fn items(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.eat(b'[')?;
        loop {
            item(self)?;
            if !self.is(b',') {
                return self.eat(b']');
            }
        }
    }

    fn inputs(&mut self, model: &ModelSpec) -> Option<Vec<InferInput>> {
        let mut inputs = Vec::with_capacity(model.inputs.len());
        self.items(|json| {
            inputs.push(json.input(model)?);
            (inputs.len() <= MOST).then_some(())
        })?;
        Some(inputs)
    }

    fn input(&mut self, model: &ModelSpec) -> Option<InferInput> {
        let (mut name, mut datatype, mut shape, mut data) = (None, None, None, None);
        self.members(|json, member| match member {
            b"name" => put(&mut name, from_utf8(json.text()?).ok()?),
            b"datatype" => put(&mut datatype, from_utf8(json.text()?).ok()?.parse().ok()?),
            b"shape" => put(&mut shape, json.shape()?),
            // Of elements that come before their type nothing is known.
            b"data" => put(&mut data, json.data(datatype?, shape.as_deref()?)?),
            _ => None,
        })?;
        let shape = shape?;
        // Such a batch is refused whatever its data.
        let empty = model.batching() && matches!(shape[..], [] | [0, ..]);
        (!empty).then_some(InferInput {
            name: name?.to_owned(),
            datatype: datatype?,
            shape,
            data: data?,
        })
    }

    fn shape(&mut self) -> Option<Vec<i64>> {
        let mut shape = Vec::with_capacity(4);
        self.items(|json| {
            shape.push(i64::from_decimal(json.number()?)?);
            (shape.len() <= MOST).then_some(())
        })?;
        Some(shape)
    }

    fn data(&mut self, datatype: DataType, shape: &[i64]) -> Option<Bytes> {
        let mut count = 1_usize;
        for dim in shape {
            count = count.checked_mul(usize::try_from(*dim).ok()?)?;
        }
        match datatype {
            DataType::Fp32 => self.elements::<f32>(count),
            DataType::Fp64 => self.elements::<f64>(count),
            DataType::Int32 => self.elements::<i32>(count),
            DataType::Int64 => self.elements::<i64>(count),
            _ => None,
        }
    }

    fn elements<T: FromDecimal + NoUninit>(&mut self, count: usize) -> Option<Bytes> {
        // An element takes two bytes of text at least, so that a shape alone claims no memory.
        let most = count.min(self.0.len() / 2 + 1);
        let bytes = count.checked_mul(size_of::<T>())?;
        // What an allocator gives for bytes is aligned for all elements where it can be.
        let mut elements = Vec::with_capacity(most * size_of::<T>());
        self.items(|json| {
            let element = T::from_decimal(json.number()?)?;
            elements.extend_from_slice(bytemuck::bytes_of(&element));
            Some(())
        })?;
        (elements.len() == bytes).then(|| Bytes::from(elements))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::kserve::decode_request;
    use crate::kserve::request::whole;
    use crate::shared_memory::Regions;
    use crate::testing::IDENTITY;

    use super::*;

    const USUAL: [&str; 8] = [
        r#"{"inputs":[{"name":"a","shape":[6],"datatype":"FP32","data":[16777216,16777217,0.16777217e-2,1e11,1e10,340282350000000000000000000000000000000]}]}"#,
        r#"{"inputs":[{"name":"a","shape":[6],"datatype":"FP64","data":[9007199254740993,0.1e-21,12345678901234567890123,1e23,-0.0,5e-324]}]}"#,
        r#"{"inputs":[{"name":"INPUT_1","datatype":"FP32","shape":[1,4],"data":[1.0,2.5e-3,-0,4]}]}"#,
        r#" { "id" : "a b", "inputs" : [ { "name" : "x" , "shape" : [ 2 , 1 ], "datatype":"INT64", "data":[ -7 , 0 ] } ] } "#,
        r#"{"inputs":[{"name":"a","shape":[1],"datatype":"FP64","data":[1E+5]},{"name":"b","shape":[1],"datatype":"INT32","data":[7]}],"id":""}"#,
        r#"{"inputs":[{"name":"a","shape":[1,2],"datatype":"FP32","data":[[1,2]]}],"outputs":[{"name":"o"}]}"#,
        r#"{"inputs":[{"name":"a","shape":[1,1],"datatype":"BYTES","data":["x"]}],"parameters":{"p":1}}"#,
        r#"{"inputs":[{"name":"a","shape":[0,1],"datatype":"FP32","data":[1]}]}"#,
    ];

    #[test]
    fn what_does_not_stand_for_itself_ends_the_bytes_that_do() {
        for byte in 0..=u8::MAX {
            for at in 0..8 {
                let mut text = *b"abcdefgh";
                text[at] = byte;
                let usual = matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
                assert_eq!(
                    usual_bytes(text),
                    if usual { 8 } else { at },
                    "{byte} at {at}"
                );
            }
        }
    }

    fn check(text: &[u8]) -> bool {
        let spec = IDENTITY.spec().unwrap();
        let Some(quick) = quick(text, &spec, 100) else {
            return false;
        };
        let (request, _) = whole(text, Bytes::new(), &spec, 100, &Regions::default()).unwrap();
        assert_eq!((quick.id, quick.inputs), (request.id, request.inputs));
        assert!(quick.outputs.is_empty() && request.outputs.is_empty());
        assert!(request.parameters.is_empty());
        true
    }

    #[test]
    fn long_texts_are_read_too() {
        let spec = IDENTITY.spec().unwrap();
        let numbers = vec!["-1.5e-3"; 10_000].join(", ");
        for end in [
            "]}]}",
            " ] } ] }\n",
            r#"]}],"id":"7"}"#,
            r#"]}],"outputs":[]}"#,
        ] {
            let text = format!(
                r#"{{"inputs":[{{"name":"x","datatype":"FP32","shape":[1,10000],"data":[{numbers}{end}"#
            );
            let body = Bytes::from(text);
            let (request, _) =
                decode_request(&body, body.len(), &spec, 100, &Regions::default()).unwrap();
            assert_eq!(request.inputs[0].data.len(), 40_000, "{end}");
        }
    }

    #[test]
    fn the_usual_is_read_as_all_else_is() {
        let read = USUAL.map(|text| check(text.as_bytes()));
        assert_eq!(read, [true, true, true, true, true, false, false, false]);
    }

    #[test]
    fn any_number_of_digits_is_read_with_anything_behind_it() {
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

    proptest! {
        #[test]
        fn what_is_read_is_what_the_long_way_reads(
            which in 0..USUAL.len(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 0..4),
        ) {
            const LIKELY: &[u8] = b"0123456789.eE+-,:[]{}\" \\aninf_";
            let mut text = USUAL[which].as_bytes().to_vec();
            for (index, byte, kind) in changes {
                let at = index.index(text.len());
                let likely = LIKELY[usize::from(byte) % LIKELY.len()];
                match kind {
                    0 => text[at] = byte,
                    1 => text[at] = likely,
                    2 => text.insert(at, likely),
                    _ => drop(text.remove(at)),
                }
            }
            check(&text);
        }
    }
}
