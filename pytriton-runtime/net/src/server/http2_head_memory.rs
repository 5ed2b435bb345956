use std::io;
use std::sync::Arc;

use pytriton_core::memory_budget::MemoryBudget;

use crate::server::connection_state::ConnectionState;
use crate::server::head_budget::{HeadBudget, HeadPermit};
use crate::server::head_numbers::HeadNumbers;
use crate::server::hpack_table_memory::HpackTableMemory;
use crate::server::http2_header_frame::HeaderFrame;
use crate::server::http2_preface::PREFACE;
use crate::server::port::HEADER_BYTES;

const FRAME_HEAD_BYTES: usize = 9;

/// The kinds of frames that carry data or a head, and the flag of the last frame of a head.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const PUSH_PROMISE: u8 = 5;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;

/// The size of an empty header in a header list.
const MIN_LIST_ENTRY_BYTES: usize = 32;

/// h2's buffer for a head of several frames grows by doubling.
const BUFFER_GROWTH: usize = 2;

/// The memory of the frames of an HTTP/2 connection that have partly arrived, except for data,
/// which its receive window counts, and that of the table of headers that frames refer to.
///
/// A frame is decoded when it is complete. If its head continues in further frames, the decoded
/// headers are also held until the head ends. Trailers are held until the body is read, which the
/// frames do not show; they count until their stream ends.
#[derive(Debug)]
pub(crate) struct Http2HeadMemory {
    permit: HeadPermit,
    budget: Arc<MemoryBudget>,
    /// The maximum memory of the decoded headers of one head.
    max_decoded_bytes: usize,
    /// The head of the current frame, and how many bytes of it have arrived.
    frame_head: [u8; FRAME_HEAD_BYTES],
    frame_head_bytes: usize,
    /// The size of the current frame, and how many bytes of it have not arrived.
    frame_bytes: usize,
    missing_bytes: usize,
    /// The size of the current head up to the current frame.
    block_bytes: usize,
    /// Whether the current frame is the last one of its head.
    ends_block: bool,
    numbers: HeadNumbers,
    /// Whether the current frame belongs to the head of a request, or to trailers.
    in_head: bool,
    in_trailers: bool,
    /// Whether trailers have ever arrived.
    has_trailers: bool,
    /// The number of the next stream when h2 has processed all frames that have arrived. `None` if
    /// others have arrived since.
    processed_at: Option<u64>,
    /// The header block of the current frame, and the table that it may add headers to.
    header_frame: HeaderFrame,
    table: HpackTableMemory,
    /// Whether the latest bytes could not be reserved.
    refused: bool,
}

impl Http2HeadMemory {
    /// Creates the memory of a connection that has not begun. `max_list_bytes` is the maximum size
    /// of a header list.
    pub(crate) fn new(budget: &HeadBudget, max_list_bytes: u32) -> Self {
        let entries = max_list_bytes as usize / MIN_LIST_ENTRY_BYTES;
        Self {
            permit: budget.empty_permit(),
            budget: Arc::clone(budget.budget()),
            max_decoded_bytes: entries.saturating_mul(HEADER_BYTES),
            frame_head: [0; FRAME_HEAD_BYTES],
            frame_head_bytes: 0,
            frame_bytes: 0,
            missing_bytes: PREFACE.len(),
            block_bytes: 0,
            ends_block: true,
            numbers: HeadNumbers::default(),
            in_head: false,
            in_trailers: false,
            has_trailers: false,
            processed_at: None,
            header_frame: HeaderFrame::default(),
            table: HpackTableMemory::new(budget),
            refused: false,
        }
    }

    /// Reserves the memory for bytes that have arrived.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is exhausted. An incomplete frame may wait for one more read,
    /// so a complete head that arrives in two pieces gets a response.
    pub(crate) fn add(&mut self, mut bytes: &[u8], state: &ConnectionState) -> io::Result<()> {
        if let Some(next_number) = self.processed_at.take() {
            self.settle(next_number, state);
        }
        while !bytes.is_empty() {
            let (payload, rest) = bytes.split_at(self.missing_bytes.min(bytes.len()));
            bytes = rest;
            self.missing_bytes -= payload.len();
            self.read_block(payload);
            let free = &mut self.frame_head[self.frame_head_bytes..];
            let (head, rest) = bytes.split_at(free.len().min(bytes.len()));
            free[..head.len()].copy_from_slice(head);
            self.frame_head_bytes += head.len();
            bytes = rest;
            if self.frame_head_bytes == FRAME_HEAD_BYTES {
                self.frame_head_bytes = 0;
                self.begin_frame(state)?;
            }
        }
        self.reserve(state)
    }

    /// Records that no more bytes have arrived: h2 has processed all complete frames.
    pub(crate) fn pause(&mut self, state: &ConnectionState) {
        if self.has_trailers {
            self.processed_at = Some(state.lock().next_number);
        }
    }

    /// Corrects the numbers of heads if h2 has refused some. `next_number` is that of the next stream
    /// when h2 had processed all frames.
    fn settle(&mut self, next_number: u64, state: &ConnectionState) {
        let mut inner = state.lock();
        // After each stream that it accepts, hyper reads again. Without one since, h2 has passed on
        // all streams.
        if inner.next_number != next_number {
            return;
        }
        let is_partial = self.in_head && !(self.ends_block && self.missing_bytes == 0);
        if inner.settle_heads(is_partial) {
            self.numbers.renumber(next_number, is_partial);
        }
    }

    /// Reads the next bytes of the current frame.
    fn read_block(&mut self, payload: &[u8]) {
        let block = self.header_frame.block(payload);
        if block.is_empty() {
            return;
        }
        let collected = match self.block_bytes > self.frame_bytes {
            true => self.block_bytes,
            false => 0,
        };
        self.table.read(block, collected);
    }

    fn begin_frame(&mut self, state: &ConnectionState) -> io::Result<()> {
        let [high, middle, low, kind, flags, stream @ ..] = self.frame_head;
        self.missing_bytes = u32::from_be_bytes([0, high, middle, low]) as usize;
        // The first bit has no meaning.
        let stream = u32::from_be_bytes(stream) & (u32::MAX >> 1);
        self.frame_bytes = match kind {
            DATA => 0,
            _ => self.missing_bytes,
        };
        self.ends_block = match kind {
            HEADERS | PUSH_PROMISE | CONTINUATION => flags & END_HEADERS != 0,
            _ => true,
        };
        self.table
            .begin_frame(FRAME_HEAD_BYTES + self.missing_bytes);
        self.header_frame = match kind {
            HEADERS => {
                self.table.begin();
                HeaderFrame::headers(flags, self.missing_bytes)
            }
            CONTINUATION => HeaderFrame::continuation(self.missing_bytes),
            _ => HeaderFrame::default(),
        };
        if kind == CONTINUATION {
            self.block_bytes = self.block_bytes.saturating_add(self.frame_bytes);
        } else {
            self.block_bytes = self.frame_bytes;
            self.in_head = kind == HEADERS && self.numbers.begin(stream);
            self.in_trailers = kind == HEADERS && !self.in_head;
            if self.in_head {
                state.lock().heads = self.numbers.begun();
            }
        }
        if !self.in_trailers {
            return Ok(());
        }
        self.has_trailers = true;
        let bytes = self.decoded_bytes(self.frame_bytes);
        let number = self.numbers.number(stream);
        let added = state.lock().add_trailers(&self.budget, number, bytes);
        added.map_err(|_| io::ErrorKind::OutOfMemory.into())
    }

    fn reserve(&mut self, state: &ConnectionState) -> io::Result<()> {
        let single = self.ends_block && self.block_bytes == self.frame_bytes;
        let partial = match self.ends_block && self.missing_bytes == 0 {
            true => 0,
            false if single => self.frame_bytes,
            false => {
                let buffer = self.block_bytes.saturating_mul(BUFFER_GROWTH);
                self.decoded_bytes(self.block_bytes).saturating_add(buffer)
            }
        };
        let reserved = self.permit.resize(partial);
        let reserved = reserved.and(self.table.reserve(state));
        let may_wait = single && !self.in_trailers && !self.refused;
        self.refused = reserved.is_err();
        match self.refused && !may_wait {
            true => Err(io::ErrorKind::OutOfMemory.into()),
            false => Ok(()),
        }
    }

    /// Returns the maximum memory of the headers in a part of a head. The shortest takes one byte.
    fn decoded_bytes(&self, bytes: usize) -> usize {
        bytes
            .saturating_mul(HEADER_BYTES)
            .min(self.max_decoded_bytes)
    }
}
