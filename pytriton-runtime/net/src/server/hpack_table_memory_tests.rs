use std::sync::Arc;

use pytriton_core::memory_budget::MemoryBudget;

use crate::server::connection_memory_tests::frame;
use crate::server::connection_state::ConnectionState;
use crate::server::head_budget::HeadBudget;
use crate::server::hpack_scanner::{FieldName, HpackEvent, HpackScanner, Insertion};
use crate::server::http2_head_memory::Http2HeadMemory;
use crate::server::http2_preface::PREFACE;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// `:path: /`, which is added to the table, and the same in Huffman code.
const PATH: &[u8] = &[0x44, 1, b'/'];
const HUFFMAN_PATH: &[u8] = &[0x44, 0x81, 0x63];

/// The largest payload of a frame.
const PAYLOAD: usize = 16 << 10;

fn insertion(name: FieldName, min_bytes: usize, max_bytes: usize) -> HpackEvent {
    HpackEvent::Insertion(Insertion {
        name,
        min_bytes,
        max_bytes,
    })
}

/// Fields that begin with `start` and fill up a frame with a header that is not added.
fn filled(start: &[u8]) -> Vec<u8> {
    let mut block = start.to_vec();
    let rest = PAYLOAD - block.len() - 3 - 3 - 127;
    let [low, high] = [rest % 128 + 128, rest / 128].map(|byte| u8::try_from(byte).unwrap());
    block.extend([0, 1, b'h', 127, low, high]);
    block.resize(PAYLOAD, b'v');
    block
}

fn connection(frames: &[Vec<u8>]) -> Vec<u8> {
    [&PREFACE[..], &frames.concat()].concat()
}

#[test]
fn fields_of_the_table_are_recognised_in_pieces_of_any_size() {
    use FieldName::{Header, OfField, Pseudo};
    let long = [&[0x40, 1, b'a', 127, 73][..], &[b'v'; 200]].concat();
    let table: &[(&[u8], &[HpackEvent])] = &[
        // References, and fields that are not added.
        (&[0x82, 0xbe, 0xff, 0x80, 0x01], &[]),
        (&[0x04, 1, b'/', 0x10, 2, b':', b'a', 0, 0x0f, 0x10, 0], &[]),
        (PATH, &[insertion(Pseudo, 33, 60)]),
        (
            HUFFMAN_PATH,
            &[HpackEvent::Huffman(1), insertion(Pseudo, 32, 60)],
        ),
        (&[0x40, 1, b'a', 0], &[insertion(Header, 33, 33)]),
        (&[0x40, 1, b':', 0], &[insertion(Pseudo, 33, 33)]),
        (
            &[0x40, 0x81, 0xb8, 0],
            &[HpackEvent::Huffman(1), insertion(Pseudo, 32, 33)],
        ),
        (&[0x7e, 1, b'x'], &[insertion(OfField(0), 33, 33)]),
        (&[0x7f, 0, 1, b'x'], &[insertion(OfField(1), 33, 33)]),
        (&[0x7f, 0x80, 0x01, 0], &[insertion(OfField(129), 32, 32)]),
        (&long, &[insertion(Header, 233, 233)]),
        (
            &[0x20, 0x3f, 0xe1, 0x1f],
            &[HpackEvent::TableSize(0), HpackEvent::TableSize(4096)],
        ),
        (
            &[0x44, 1, b'/', 0x7e, 0],
            &[insertion(Pseudo, 33, 60), insertion(OfField(0), 32, 32)],
        ),
    ];
    for (block, expected) in table {
        for piece in [1, 2, block.len()] {
            let mut scanner = HpackScanner::default();
            let mut events = Vec::new();
            scanner.begin();
            for piece in block.chunks(piece) {
                scanner.read(piece, |event| events.push(event));
            }
            assert_eq!(events, *expected, "{block:x?}");
        }
    }
}

/// Returns the memory of a connection on which requests with these blocks have arrived, and whether
/// they were refused.
fn arrived(budget: &Arc<MemoryBudget>, blocks: &[Vec<u8>]) -> (Http2HeadMemory, bool) {
    let state = ConnectionState::new();
    let mut memory = Http2HeadMemory::new(&HeadBudget::without_reserve(budget), 64 << 10);
    let requests = (1_u32..).step_by(2).zip(blocks).map(|(stream, block)| {
        let mut frame = frame(HEADERS, END_HEADERS | END_STREAM, block);
        frame[5..9].copy_from_slice(&stream.to_be_bytes());
        frame
    });
    let bytes = connection(&requests.collect::<Vec<_>>());
    let mut reads = bytes.chunks(20_000);
    let refused = reads.any(|read| memory.add(read, &state).is_err());
    (memory, refused)
}

/// Returns what frames reserve when they have arrived, and whether they were refused.
fn reserved(limit: usize, blocks: &[Vec<u8>]) -> (usize, bool) {
    let budget = MemoryBudget::new(limit);
    let (_memory, refused) = arrived(&budget, blocks);
    (budget.reserved(), refused)
}

#[test]
fn buffers_that_a_table_keeps_are_reserved() {
    let header = [0x40, 1, b'a', 0];
    let of_path = [0x7e, 1, b'x'];
    let table: &[(&[u8], usize)] = &[
        // One buffer for each frame, twice as large.
        (PATH, 10 * 32 * KIB),
        (HUFFMAN_PATH, 10 * 32 * KIB),
        // Headers are copied.
        (&header, 0),
    ];
    for (start, expected) in table {
        let blocks: Vec<_> = (0..10).map(|_| filled(start)).collect();
        let (bytes, refused) = reserved(MIB * 1024, &blocks);
        assert!(!refused);
        assert!(
            (*expected..expected + 8 * KIB).contains(&bytes),
            "{start:x?}: {bytes}"
        );
    }
    // The name of a field of the table.
    let mut blocks = vec![filled(PATH)];
    blocks.extend((0..9).map(|_| filled(&of_path)));
    let (bytes, refused) = reserved(MIB * 1024, &blocks);
    assert!(!refused && bytes >= 10 * 32 * KIB, "{bytes}");
    // A table keeps at most 128 buffers.
    let blocks: Vec<_> = (0..500).map(|_| filled(PATH)).collect();
    let (bytes, _) = reserved(MIB * 1024, &blocks);
    assert!((110 * 32 * KIB..129 * 33 * KIB).contains(&bytes), "{bytes}");
    // Newer fields release the buffers of older ones.
    let mut blocks: Vec<_> = (0..100).map(|_| filled(PATH)).collect();
    blocks.push(header.repeat(140));
    let (bytes, _) = reserved(MIB * 1024, &blocks);
    assert!(bytes < 40 * KIB, "{bytes}");
}

#[test]
fn references_after_a_large_value_are_those_of_headers() {
    // A value of 3 KiB in Huffman code, which may not fit in the table.
    let value = [&[0x40, 1, b'a', 0xff, 0x81, 0x17][..], &[0x63; 3 << 10]].concat();
    let mut blocks = vec![value];
    blocks.extend((0..20).map(|_| filled(&[0x7e, 1, b'x'])));
    let (bytes, refused) = reserved(64 * MIB, &blocks);
    assert!(!refused && bytes < 40 * KIB, "{bytes}");
}

#[test]
fn small_tables_are_not_counted_and_large_ones_are_refused() {
    // The first request of a client.
    let first = [
        PATH,
        &[0x41, 9],
        b"localhost",
        &[0x40, 2],
        b"te",
        &[8],
        b"trailers",
    ]
    .concat();
    assert_eq!(reserved(0, &[first]), (0, false));
    // A client that adds a small path with each request.
    let blocks: Vec<_> = (0..1000).map(|_| PATH.to_vec()).collect();
    let (bytes, refused) = reserved(64 * MIB, &blocks);
    assert!(!refused && bytes < 40 * KIB, "{bytes}");
    // A connection gets a share of the budget. It is closed at twice the share.
    for (requests, expected) in [(20, false), (100, true)] {
        let blocks = vec![filled(PATH); requests];
        let (bytes, refused) = reserved(64 * MIB, &blocks);
        assert_eq!(refused, expected);
        assert!(
            (512 * KIB..1024 * KIB + 40 * KIB).contains(&bytes),
            "{bytes}"
        );
    }
}

#[test]
fn a_full_budget_refuses_buffers_but_not_fields() {
    // A header with a value of its own in each request, and buffers that the table keeps.
    let header = [&[0x40, 1, b'a', 100][..], &[b'v'; 100]].concat();
    for (block, expected) in [(header, false), (filled(PATH), true)] {
        let budget = MemoryBudget::new(MIB);
        let _all = budget.reserve(MIB).unwrap();
        let (_memory, refused) = arrived(&budget, &vec![block; 500]);
        assert_eq!(refused, expected);
        assert_eq!(budget.reserved(), MIB);
    }
}

#[test]
fn fields_take_no_more_than_the_largest_table() {
    // A long name, whose size the fields that refer to it do not show.
    let named = [&[0x40, 127, 0xb9, 0x16][..], &[b'a'; 3000], &[0]].concat();
    let blocks = [named, [0x7e, 0].repeat(100)];
    let (bytes, refused) = reserved(MIB, &blocks);
    assert!(!refused && bytes == 24 * KIB, "{bytes}");
}

#[test]
fn blocks_of_several_frames_are_counted() {
    let budget = MemoryBudget::new(1024 * MIB);
    let state = ConnectionState::new();
    let mut memory = Http2HeadMemory::new(&HeadBudget::without_reserve(&budget), 64 << 10);
    let block = filled(PATH);
    let bytes = connection(&[
        frame(HEADERS, END_STREAM, &block),
        frame(CONTINUATION, 0, &block),
        frame(CONTINUATION, END_HEADERS, &block),
    ]);
    for piece in bytes.chunks(1000) {
        memory.add(piece, &state).unwrap();
    }
    let bytes = budget.reserved();
    assert!((5 * 32 * KIB..6 * 32 * KIB).contains(&bytes), "{bytes}");
}
