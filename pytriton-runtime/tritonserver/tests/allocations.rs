//! Counts the allocations of a warm worker per request. A separate binary, because it needs its own
//! allocator.

#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_pointer_width = "64"
))]
#![expect(clippy::unwrap_used, reason = "a helper of tests fails as a test does")]
#![expect(unsafe_code, reason = "an allocator is unsafe to write")]

mod identity;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use identity::IDENTITY;
use pytriton_backend::protocol::{BatchWriter, ResponseContents, Span};
use pytriton_backend::session::{BatchMessage, Client, Hello, Token};
use pytriton_backend::{SOCKET_VARIABLE, TOKEN_VARIABLE};
use pytriton_core::registry::Registry;
use pytriton_tritonserver::worker::Worker;

/// The number of requests in a batch, and the maximum number of allocations: those of the function,
/// its array and the tensors, and two for each request.
const TABLE: [(usize, usize); 2] = [(1, 5), (8, 21)];

/// The number of batches before counting, and of counted ones.
const WARM: u64 = 200;
const COUNTED: u64 = 500;

/// The system allocator, with a counter for threads other than the clients'.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static IS_CLIENT: Cell<bool> = const { Cell::new(false) };
}

fn count() {
    if !IS_CLIENT.get() {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: all calls are forwarded to the system allocator unchanged, and counting does not
// allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn variable(worker: &Worker, name: &str) -> String {
    let mut variables = worker.environment();
    variables.find(|(known, _)| *known == name).unwrap().1
}

/// Sends a batch of requests with four elements, like an HTTP client with JSON, and reads the
/// responses.
fn ask(client: &Client, batch: u64, requests: usize) {
    let mut description = Vec::new();
    let mut writer = BatchWriter::new(&mut description, 1);
    for _ in 0..requests {
        writer.request("", 0, None);
        writer.count(0);
        writer.count(0);
        writer.count(1);
        writer.input(0, 16, &[1, 4]);
    }
    let len = 16 * requests;
    writer.span(0, Span { offset: 0, len });
    writer.finish(requests);
    let mut unasked = client.prepare(description.len(), len).unwrap();
    unasked.describe(&description).unwrap();
    unasked.write(0, &vec![0; len]).unwrap();
    client.send_batch(batch, unasked).unwrap();
    let mut receiver = client.receiver();
    let mut answered = 0;
    while answered < requests {
        let Some(BatchMessage::Response(answer)) = receiver.next_message().unwrap() else {
            receiver.wait(None).unwrap();
            continue;
        };
        let data = receiver.read(&answer, &mut description).unwrap();
        assert!(
            ResponseContents::read(&description, data.len(), 1)
                .unwrap()
                .is_ok()
        );
        answered += 1;
    }
}

#[tokio::test]
async fn a_warm_worker_allocates_little() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::new(&[&IDENTITY]).unwrap();
    let worker = Worker::start(&registry, folder.path()).await.unwrap();
    let path = PathBuf::from(variable(&worker, SOCKET_VARIABLE));
    let hello = Hello {
        token: Token::from_text(&variable(&worker, TOKEN_VARIABLE)).unwrap(),
        model: "Identity".to_owned(),
        version: 1,
        load: 0,
    };
    let counts = tokio::task::spawn_blocking(move || {
        IS_CLIENT.set(true);
        let (client, _) = Client::connect(&path, &hello, || {}).unwrap();
        let mut batches = 0..;
        TABLE.map(|(requests, most)| {
            let warm = batches.by_ref().take(usize::try_from(WARM).unwrap());
            warm.for_each(|batch| ask(&client, batch, requests));
            let before = ALLOCATIONS.load(Ordering::SeqCst);
            let counted = batches.by_ref().take(usize::try_from(COUNTED).unwrap());
            counted.for_each(|batch| ask(&client, batch, requests));
            let count = ALLOCATIONS.load(Ordering::SeqCst) - before;
            (requests, most, count as u64 / COUNTED)
        })
    });
    let counts = counts.await.unwrap();
    println!("{counts:?}");
    for (requests, most, count) in counts {
        assert!(
            count <= most as u64,
            "{requests} requests: {count} allocations, {most} expected at most"
        );
    }
}
