use std::mem;

/// The minimum size of a field in a dynamic table (RFC 7541, section 4.1).
pub(crate) const FIELD_BYTES: usize = 32;

/// The size of a dynamic table, which a client may reduce. h2 applies this size, whatever the
/// settings of the server are.
pub(crate) const TABLE_BYTES: usize = 4096;

/// The first byte of a field with a pseudo-header's name: `:`, also in Huffman code.
const COLON: u8 = b':';
const HUFFMAN_COLON: u8 = 0x5c;

/// The shortest and the longest Huffman code of a byte, in bits.
const MIN_CODE_BITS: usize = 5;
const MAX_CODE_BITS: usize = 30;

/// The longest name in the static table.
const MAX_STATIC_NAME_BYTES: usize = 27;

/// A field that a header block adds to the dynamic table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Insertion {
    pub(crate) name: FieldName,
    /// The bounds of its size in the table, without a name that it takes from another field of the
    /// dynamic table. They differ because the decoded length of Huffman code is not known.
    pub(crate) min_bytes: usize,
    pub(crate) max_bytes: usize,
}

/// The name of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldName {
    /// A pseudo-header, such as `:path`.
    Pseudo,
    Header,
    /// The name of this field of the dynamic table. The latest field has index 0.
    OfField(usize),
}

/// An event of a header block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HpackEvent {
    Insertion(Insertion),
    /// The table is resized to this size.
    TableSize(usize),
    /// A string of this size in Huffman code.
    Huffman(usize),
}

/// Recognises the fields that header blocks add to the dynamic table of HPACK, without decoding
/// them. A block may arrive in pieces of any size.
#[derive(Debug, Default)]
pub(crate) struct HpackScanner {
    state: State,
    field: Field,
}

#[derive(Debug, Clone, Copy, Default)]
enum State {
    /// A field begins.
    #[default]
    Begin,
    /// The rest of an integer.
    Integer(Integer, usize, u32),
    /// The length of a string.
    Length(Part),
    /// The rest of a string.
    Text(Part, usize),
}

/// The meaning of an integer.
#[derive(Debug, Clone, Copy)]
enum Integer {
    /// A reference to a complete field.
    Reference,
    TableSize,
    Name,
    Length {
        part: Part,
        huffman: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Name,
    Value,
}

/// The current field.
#[derive(Debug, Clone, Copy)]
struct Field {
    is_inserted: bool,
    name: FieldName,
    /// Whether the first byte of the name follows.
    name_begins: bool,
    huffman: bool,
    min_bytes: usize,
    max_bytes: usize,
}

impl Default for Field {
    fn default() -> Self {
        Self {
            is_inserted: false,
            name: FieldName::Header,
            name_begins: false,
            huffman: false,
            min_bytes: FIELD_BYTES,
            max_bytes: FIELD_BYTES,
        }
    }
}

impl HpackScanner {
    /// Begins a header block.
    pub(crate) fn begin(&mut self) {
        *self = Self::default();
    }

    /// Reads the next bytes of the header block.
    pub(crate) fn read(&mut self, mut bytes: &[u8], mut event: impl FnMut(HpackEvent)) {
        while let Some((&first, rest)) = bytes.split_first() {
            if let State::Text(part, missing) = self.state {
                if mem::take(&mut self.field.name_begins) {
                    self.field.begin_name(first);
                }
                let read = missing.min(bytes.len());
                bytes = &bytes[read..];
                self.state = State::Text(part, missing - read);
                if missing == read {
                    self.end_text(part, &mut event);
                }
                continue;
            }
            bytes = rest;
            match self.state {
                State::Begin => {
                    self.field = Field::default();
                    let (integer, bits) = match first {
                        0x80.. => (Integer::Reference, 7),
                        0x40.. => (Integer::Name, 6),
                        0x20.. => (Integer::TableSize, 5),
                        _ => (Integer::Name, 4),
                    };
                    self.field.is_inserted = bits == 6;
                    self.begin_integer(integer, first, bits, &mut event);
                }
                State::Length(part) => {
                    let huffman = first & 0x80 != 0;
                    self.begin_integer(Integer::Length { part, huffman }, first, 7, &mut event);
                }
                State::Integer(integer, value, shift) => {
                    let digit = usize::from(first & 0x7f).checked_shl(shift);
                    let value = value.saturating_add(digit.unwrap_or(usize::MAX));
                    match first & 0x80 {
                        0 => self.end_integer(integer, value, &mut event),
                        _ => self.state = State::Integer(integer, value, shift + 7),
                    }
                }
                State::Text(..) => {}
            }
        }
    }

    fn begin_integer(
        &mut self,
        integer: Integer,
        first: u8,
        bits: u32,
        event: &mut impl FnMut(HpackEvent),
    ) {
        let max = (1 << bits) - 1;
        match usize::from(first) & max {
            value if value == max => self.state = State::Integer(integer, value, 0),
            value => self.end_integer(integer, value, event),
        }
    }

    fn end_integer(&mut self, integer: Integer, value: usize, event: &mut impl FnMut(HpackEvent)) {
        self.state = match integer {
            Integer::Reference => State::Begin,
            Integer::TableSize => {
                event(HpackEvent::TableSize(value));
                State::Begin
            }
            Integer::Name => {
                self.field.name = match value {
                    // `:authority`, `:method`, `:path`, `:scheme` and `:status`.
                    1..=14 => FieldName::Pseudo,
                    62.. => FieldName::OfField(value - 62),
                    _ => FieldName::Header,
                };
                if (1..62).contains(&value) {
                    self.field.max_bytes += MAX_STATIC_NAME_BYTES;
                }
                State::Length(if value == 0 { Part::Name } else { Part::Value })
            }
            Integer::Length { part, huffman } => {
                self.field.add_text(value, huffman);
                self.field.name_begins = part == Part::Name;
                self.field.huffman = huffman;
                if huffman {
                    event(HpackEvent::Huffman(value));
                }
                State::Text(part, value)
            }
        };
        if let State::Text(part, 0) = self.state {
            self.end_text(part, event);
        }
    }

    fn end_text(&mut self, part: Part, event: &mut impl FnMut(HpackEvent)) {
        if part == Part::Name {
            self.state = State::Length(Part::Value);
            return;
        }
        self.state = State::Begin;
        let Field {
            is_inserted,
            name,
            min_bytes,
            max_bytes,
            ..
        } = self.field;
        if is_inserted {
            event(HpackEvent::Insertion(Insertion {
                name,
                min_bytes,
                max_bytes,
            }));
        }
    }
}

impl Field {
    fn begin_name(&mut self, first: u8) {
        let is_pseudo = match self.huffman {
            true => first >> 1 == HUFFMAN_COLON,
            false => first == COLON,
        };
        if is_pseudo {
            self.name = FieldName::Pseudo;
        }
    }

    fn add_text(&mut self, bytes: usize, huffman: bool) {
        let (min, max) = match huffman {
            // The last byte may be padded.
            true => (
                bytes.saturating_sub(1).saturating_mul(8) / MAX_CODE_BITS,
                bytes.saturating_mul(8) / MIN_CODE_BITS,
            ),
            false => (bytes, bytes),
        };
        self.min_bytes = self.min_bytes.saturating_add(min);
        self.max_bytes = self.max_bytes.saturating_add(max);
    }
}
