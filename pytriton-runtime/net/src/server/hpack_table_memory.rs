use std::collections::VecDeque;

use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};

use crate::server::connection_state::ConnectionState;
use crate::server::head_budget::{HeadBudget, HeadPermit};
use crate::server::hpack_scanner::{
    FIELD_BYTES, FieldName, HpackEvent, HpackScanner, Insertion, TABLE_BYTES,
};
use crate::server::retirement::ConnectionShare;

/// The memory of a field in addition to its name and value: its entry in the table, and the
/// overhead of two allocations.
const ENTRY_BYTES: usize = 160;

/// The maximum memory of all fields of a table.
const MAX_FIELDS_BYTES: usize = TABLE_BYTES / FIELD_BYTES * ENTRY_BYTES + TABLE_BYTES;

/// The capacity of a buffer is at most this multiple of its bytes, because it grows by doubling.
const BUFFER_GROWTH: usize = 2;

/// The maximum size of h2's buffer for reading: three times that of a frame.
const MAX_READ_BUFFER_BYTES: usize = 48 << 10;

/// h2 decodes strings in Huffman code into a buffer of this size, or a larger one for a larger
/// string.
const HUFFMAN_BUFFER_BYTES: usize = 4 << 10;

/// The memory that the dynamic table of a client's headers takes.
///
/// h2 copies the fields of the table, except for the values of pseudo-headers: these are slices of
/// the buffers in which they arrived. A short `:path` therefore keeps a buffer that is larger than
/// the table, as long as the field is in the table.
#[derive(Debug)]
pub(crate) struct HpackTableMemory {
    fields: MemoryPermit,
    buffers: HeadPermit,
    /// The maximum of the kept buffers.
    ///
    /// Many encoders add each `:path` to the table. With large bodies, a dozen paths reach the share.
    share: ConnectionShare,
    scanner: HpackScanner,
    table: Table,
}

#[derive(Debug)]
struct Table {
    /// The latest field is the first. All fields of the table are included, and possibly some that
    /// have left it.
    fields: VecDeque<Field>,
    /// The size of the table, and the minimum size of its fields.
    max_bytes: usize,
    min_bytes: usize,
    /// The memory of the fields, and that of the buffers that they keep.
    bytes: usize,
    buffer_bytes: usize,
    /// How many bytes have arrived since the latest pseudo-header of the table, up to the end of
    /// the current frame.
    arrived: usize,
    /// The size of all strings in Huffman code since then, and that of the largest.
    huffman_bytes: usize,
    max_huffman_bytes: usize,
    /// The size of the current header block, if it has several frames.
    block_bytes: usize,
}

#[derive(Debug, Clone, Copy)]
struct Field {
    is_pseudo: bool,
    min_bytes: usize,
    max_bytes: usize,
    buffer_bytes: usize,
}

impl Field {
    fn bytes(&self) -> usize {
        ENTRY_BYTES + self.max_bytes.min(TABLE_BYTES)
    }
}

impl Default for Table {
    fn default() -> Self {
        Self {
            fields: VecDeque::new(),
            max_bytes: TABLE_BYTES,
            min_bytes: 0,
            bytes: 0,
            buffer_bytes: 0,
            arrived: 0,
            huffman_bytes: 0,
            max_huffman_bytes: 0,
            block_bytes: 0,
        }
    }
}

impl HpackTableMemory {
    /// Creates the memory of an empty table.
    pub(crate) fn new(budget: &HeadBudget) -> Self {
        Self {
            fields: budget.budget().empty_permit(),
            buffers: budget.empty_permit(),
            share: ConnectionShare::new(budget.budget()),
            scanner: HpackScanner::default(),
            table: Table::default(),
        }
    }

    /// Begins a header block.
    pub(crate) fn begin(&mut self) {
        self.scanner.begin();
    }

    /// Counts a frame of this size, whatever it contains.
    pub(crate) fn begin_frame(&mut self, bytes: usize) {
        self.table.arrived = self.table.arrived.saturating_add(bytes);
    }

    /// Reads the next bytes of the header block. `block_bytes` is its size if it has several
    /// frames.
    pub(crate) fn read(&mut self, bytes: &[u8], block_bytes: usize) {
        let Self { scanner, table, .. } = self;
        table.block_bytes = block_bytes;
        scanner.read(bytes, |event| match event {
            HpackEvent::Insertion(insertion) => table.insert(insertion),
            HpackEvent::TableSize(size) => table.resize(size),
            HpackEvent::Huffman(bytes) => table.add_huffman(bytes),
        });
    }

    /// Reserves the memory of the table. Retires the connection if the table keeps more buffers
    /// than its share.
    ///
    /// An exhausted budget is not an error for the fields: a connection must not end because of the
    /// headers of its next request. Each connection may have [`MAX_FIELDS_BYTES`] in addition to
    /// the budget, as `docs/memory.md` states.
    ///
    /// # Errors
    ///
    /// Returns an error if the buffers that the table keeps exceed the budget, or far exceed the
    /// share of the connection.
    pub(crate) fn reserve(&mut self, state: &ConnectionState) -> Result<(), MemoryBudgetError> {
        let Table {
            bytes,
            buffer_bytes,
            ..
        } = self.table;
        let retire = || state.lock().retirement.request();
        self.share.check(buffer_bytes, retire)?;
        // The next read tries again.
        let _unreserved = self.fields.resize(bytes.min(MAX_FIELDS_BYTES));
        self.buffers.resize(buffer_bytes)
    }
}

impl Table {
    fn insert(&mut self, insertion: Insertion) {
        let Insertion {
            name,
            min_bytes,
            mut max_bytes,
        } = insertion;
        let is_pseudo = match name {
            FieldName::Pseudo => true,
            FieldName::Header => false,
            // An index counts from the latest field, so it must be certain which later fields are
            // in the table. A field that is too large is not in the table, but it also empties it.
            // Then only the indices of later fields are valid.
            FieldName::OfField(index) => {
                let of = self.fields.get(index);
                let name_bytes = of.map_or(TABLE_BYTES, |of| of.max_bytes - FIELD_BYTES);
                max_bytes = max_bytes.saturating_add(name_bytes);
                of.is_some_and(|of| of.is_pseudo)
            }
        };
        let buffer_bytes = if is_pseudo { self.keep_buffers() } else { 0 };
        let field = Field {
            is_pseudo,
            min_bytes,
            max_bytes,
            buffer_bytes,
        };
        self.min_bytes = self.min_bytes.saturating_add(min_bytes);
        self.bytes += field.bytes();
        self.buffer_bytes += buffer_bytes;
        self.fields.push_front(field);
        self.remove_oldest();
    }

    /// Returns the memory of the buffers that the current field keeps and previous fields do not.
    fn keep_buffers(&mut self) -> usize {
        let arrived = self.arrived.saturating_mul(BUFFER_GROWTH);
        let read = arrived.min(MAX_READ_BUFFER_BYTES);
        // A block of several frames is collected in a buffer of its own.
        let block = self.block_bytes.saturating_mul(BUFFER_GROWTH).min(arrived);
        let largest = self.max_huffman_bytes.saturating_mul(BUFFER_GROWTH);
        let all = self.huffman_bytes.saturating_mul(BUFFER_GROWTH);
        let huffman = all.min(largest.max(HUFFMAN_BUFFER_BYTES));
        self.arrived = 0;
        (self.huffman_bytes, self.max_huffman_bytes) = (0, 0);
        read.saturating_add(block).saturating_add(huffman)
    }

    fn add_huffman(&mut self, bytes: usize) {
        self.huffman_bytes = self.huffman_bytes.saturating_add(bytes);
        self.max_huffman_bytes = self.max_huffman_bytes.max(bytes);
    }

    fn resize(&mut self, size: usize) {
        self.max_bytes = size.min(TABLE_BYTES);
        self.remove_oldest();
    }

    /// Removes the fields that cannot be in the table any more.
    fn remove_oldest(&mut self) {
        while self.min_bytes > self.max_bytes
            && let Some(oldest) = self.fields.pop_back()
        {
            self.min_bytes -= oldest.min_bytes;
            self.bytes -= oldest.bytes();
            self.buffer_bytes -= oldest.buffer_bytes;
        }
    }
}
