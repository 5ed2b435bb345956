use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileExt, symlink};
use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use rustix::param::page_size;

use crate::tensor::Tensor;

use super::*;

static COUNT: AtomicU64 = AtomicU64::new(0);

/// A file in the shared-memory directory. It is removed when this is dropped.
struct Memory {
    key: String,
    file: File,
}

impl Memory {
    fn new(bytes: u64) -> Self {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let key = format!("pytriton_test_{}_{count}", process::id());
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create_new(true);
        let file = options.open(path(&key)).unwrap();
        file.set_len(bytes).unwrap();
        Self { key, file }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(path(&self.key));
    }
}

fn path(key: &str) -> PathBuf {
    PathBuf::from("/dev/shm").join(key)
}

fn error_text<T>(result: Result<T, SharedMemoryError>) -> String {
    result
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default()
}

#[test]
fn registration_matches_triton() {
    let page = page_size() as u64;
    let memory = Memory::new(2 * page);
    let key = memory.key.as_str();
    let bounds = "failed to register shared memory region 'r': invalid args";
    let space = "failed to register shared memory region 'r': unable to process address spaceInvalid argument";
    let table = [
        (0, 1, ""),
        (0, 2 * page, ""),
        (page, page, ""),
        (0, 2 * page + 1, bounds),
        (page, page + 1, bounds),
        (2 * page, 1, bounds),
        (0, u64::MAX, bounds),
        (1 << 63, 1, bounds),
        (0, 1 << 63, bounds),
        (0, 0, space),
        (2 * page, 0, space),
        (100, 10, space),
        (u64::MAX, 1, space),
        (u64::MAX - 31, 64, space),
        (1 << 63, 1 << 63, space),
    ];
    for (offset, byte_size, expected) in table {
        let regions = Regions::default();
        let got = error_text(regions.register("r", key, offset, byte_size));
        assert_eq!(got, expected, "{offset} {byte_size}");
        let left = regions.status(Kind::System, None, |_| ()).unwrap().len();
        assert_eq!(left, usize::from(expected.is_empty()));
    }
}

#[test]
fn only_regular_files_are_opened() {
    let regions = Regions::default();
    let memory = Memory::new(64);
    let link = format!("{}_link", memory.key);
    symlink(path(&memory.key), path(&link)).unwrap();
    let folder = format!("{}_folder", memory.key);
    std::fs::create_dir(path(&folder)).unwrap();
    for key in [&link, &folder, "pytriton_test_nothing", "..", ""] {
        let expected = format!("Unable to open shared memory region: '{key}'");
        assert_eq!(error_text(regions.register("r", key, 0, 1)), expected);
    }
    std::fs::remove_file(path(&link)).unwrap();
    std::fs::remove_dir(path(&folder)).unwrap();
}

#[test]
fn name_is_in_use_until_its_region_is_unregistered() {
    let regions = Regions::new(2);
    let memory = Memory::new(64);
    let key = format!("/{}", memory.key);
    regions.register("b", &key, 0, 64).unwrap();
    regions.register("", &memory.key, 0, 32).unwrap();
    let taken = regions.register("b", "nothing", 0, 0).unwrap_err();
    assert_eq!(
        taken.to_string(),
        "shared memory region 'b' already in manager"
    );
    assert_eq!(taken, regions.register_cuda("b").unwrap_err());
    assert_eq!(regions.register_cuda("c"), Err(SharedMemoryError::NoGpu));
    let limit = regions.register("c", &key, 0, 64).unwrap_err();
    assert_eq!(limit.status(), crate::status::Status::Unavailable);
    let entry = |region: &Region| {
        let name = region.name().to_owned();
        (name, region.key().to_owned(), region.byte_size())
    };
    let all = regions.status(Kind::System, None, entry).unwrap();
    let expected = [
        (String::new(), memory.key.clone(), 32),
        ("b".to_owned(), key.clone(), 64),
    ];
    assert_eq!(all, expected);
    assert_eq!(regions.status(Kind::Cuda, None, entry).unwrap(), []);
    let one = regions.status(Kind::System, Some("b"), entry).unwrap();
    assert_eq!(one, expected[1..]);
    let table = [
        (
            Kind::System,
            "x",
            "Unable to find system shared memory region: 'x'",
        ),
        (
            Kind::Cuda,
            "x",
            "Unable to find cuda shared memory region: 'x'",
        ),
        (
            Kind::Cuda,
            "b",
            "The region named 'b' is registered as system shared memory, not CUDA shared memory",
        ),
    ];
    for (kind, name, expected) in table {
        assert_eq!(
            error_text(regions.status(kind, Some(name), entry)),
            expected
        );
        regions.unregister(Kind::Cuda, Some(name)).unwrap();
    }
    regions.unregister(Kind::System, Some("x")).unwrap();
    regions.unregister(Kind::System, Some("b")).unwrap();
    regions.unregister(Kind::System, Some("b")).unwrap();
    regions.register("b", &key, 0, 64).unwrap();
    regions.unregister(Kind::Cuda, None).unwrap();
    assert_eq!(regions.status(Kind::System, None, entry).unwrap().len(), 2);
    regions.unregister(Kind::System, None).unwrap();
    assert_eq!(regions.status(Kind::System, None, entry).unwrap(), []);
    let long = "x".repeat(2000);
    let error = regions.register(&long, &key, 0, 64).unwrap_err();
    assert!(error.to_string().contains("longer than 1024"), "{error}");
}

#[test]
fn regions_in_use_stay_mapped() {
    let regions = Regions::default();
    let memory = Memory::new(64);
    for name in ["a", "b", "c"] {
        regions.register(name, &memory.key, 0, 64).unwrap();
    }
    let used = [("b", 0), ("c", 60)].map(|(name, at)| regions.section(name, at, 4).unwrap());
    assert_eq!(
        error_text(regions.unregister(Kind::System, Some("b"))),
        "Cannot unregister shared memory region 'b', it is currently in use."
    );
    assert_eq!(
        error_text(regions.unregister(Kind::System, None)),
        "Failed to unregister the following system shared memory regions: b ,c ,"
    );
    drop(used);
    regions.unregister(Kind::System, Some("b")).unwrap();
    regions.unregister(Kind::System, None).unwrap();
}

#[test]
fn sections_must_be_within_their_region() {
    let page = page_size() as u64;
    let memory = Memory::new(2 * page);
    let regions = Regions::default();
    regions.register("r", &memory.key, page, 64).unwrap();
    let offset = "Invalid offset for shared memory region: 'r'";
    let range = "Invalid offset + byte size for shared memory region: 'r'";
    let table = [
        (0, 64, ""),
        (63, 1, ""),
        (5, 0, ""),
        (0, 0, range),
        (0, 65, range),
        (63, 2, range),
        (64, 0, offset),
        (64, 1, offset),
        (0, 1 << 63, range),
        (0, u64::MAX, range),
        (1, u64::MAX, range),
        (32, u64::MAX - 15, range),
        (1 << 63, 0, offset),
        (1 << 63, 1 << 63, offset),
        (u64::MAX - 31, 64, offset),
        (u64::MAX, 1, offset),
    ];
    for (at, byte_size, expected) in table {
        let got = error_text(regions.section("r", at, byte_size));
        assert_eq!(got, expected, "{at} {byte_size}");
    }
    memory.file.write_all_at(&[7; 64], page).unwrap();
    let section = regions.section("r", 60, 4).unwrap();
    assert_eq!(section.read().unwrap(), [7; 4].as_slice());
    section.write(&[1, 2]).unwrap();
    let mut behind = [9; 8];
    memory.file.read_exact_at(&mut behind, page + 58).unwrap();
    assert_eq!(behind, [7, 7, 1, 2, 7, 7, 0, 0]);
    assert!(matches!(
        regions.section("q", 0, 1),
        Err(SharedMemoryError::Unknown { .. })
    ));
}

#[test]
fn reading_shrunk_memory_is_an_error() {
    let memory = Memory::new(64);
    let regions = Regions::default();
    regions.register("r", &memory.key, 0, 64).unwrap();
    let section = regions.section("r", 8, 56).unwrap();
    std::fs::remove_file(path(&memory.key)).unwrap();
    assert_eq!(section.read().unwrap().len(), 56);
    for (length, found) in [(63, 55), (8, 0), (0, 0)] {
        memory.file.set_len(length).unwrap();
        let expected =
            format!("shared memory region 'r' has shrunk: expected 56 bytes from 8, found {found}");
        assert_eq!(error_text(section.read()), expected);
        assert_eq!(error_text(section.write(&[1; 56])), expected);
        assert_eq!(memory.file.metadata().unwrap().len(), length);
    }
    memory.file.set_len(64).unwrap();
    assert_eq!(section.read().unwrap(), [0; 56].as_slice());
}

#[test]
fn concurrent_changes_of_the_memory_are_harmless() {
    const LENGTH: usize = 3 << 20;
    let memory = Arc::new(Memory::new(LENGTH as u64));
    let regions = Regions::default();
    regions
        .register("r", &memory.key, 0, LENGTH as u64)
        .unwrap();
    let section = regions.section("r", 0, LENGTH as u64).unwrap();
    let over = Arc::new(AtomicBool::new(false));
    let shrinking = thread::spawn({
        let (memory, over) = (Arc::clone(&memory), Arc::clone(&over));
        move || {
            for length in (0_u64..).map(|turn| turn * 7919 % LENGTH as u64) {
                memory.file.set_len(length).unwrap();
                memory.file.set_len(LENGTH as u64).unwrap();
                if over.load(Ordering::Relaxed) {
                    break;
                }
            }
        }
    });
    let mut read = [0; 2];
    for _ in 0..200 {
        match section.read() {
            Ok(bytes) => {
                assert_eq!(bytes.len(), LENGTH);
                read[0] += 1;
            }
            Err(error) => {
                assert!(matches!(error, SharedMemoryError::Shrunk { .. }), "{error}");
                read[1] += 1;
            }
        }
        let _ = section.write(&[1; LENGTH / 8]);
    }
    over.store(true, Ordering::Relaxed);
    shrinking.join().unwrap();
    assert!(read[1] > 0, "{read:?}");
}

#[test]
fn inputs_and_outputs_use_shared_memory() {
    let memory = Memory::new(64);
    (&memory.file).write_all(&[3; 64]).unwrap();
    let regions = Regions::default();
    regions.register("r", &memory.key, 0, 64).unwrap();
    let section = |at, size| regions.section("r", at, size).unwrap();
    let mut inputs = [bytes::Bytes::new(), bytes::Bytes::new()];
    let shared = |size| Shared {
        inputs: vec![(1, section(0, 4))],
        outputs: vec![SharedOutput {
            index: 1,
            name: "y".into(),
            section: section(16, size),
        }],
    };
    assert_eq!(
        error_text(shared(4).fetch(3, |index, data| inputs[index] = data)),
        "request size exceeds the maximum allowed input size of 3 bytes. Use --http-max-input-size, or --grpc-max-input-size over gRPC, to increase the limit."
    );
    shared(4)
        .fetch(4, |index, data| inputs[index] = data)
        .unwrap();
    assert_eq!([inputs[0].len(), inputs[1].len()], [0, 4]);
    let tensor = |value| Tensor::from_elements(vec![4], vec![value; 4]).unwrap();
    let outputs = [(0, tensor(5_u8).into()), (1, tensor(6).into())];
    assert_eq!(
        error_text(shared(3).store(&outputs)),
        "shared memory size specified with the request for output 'y' (3 bytes) should be at least 4 bytes to hold the results"
    );
    assert!(shared(4).has(1) && !shared(4).has(0));
    shared(4).store(&outputs).unwrap();
    let mut written = [0; 6];
    memory.file.read_exact_at(&mut written, 15).unwrap();
    assert_eq!(written, [3, 6, 6, 6, 6, 3]);
    let mut both = shared(3);
    both.insert(SharedOutput {
        index: 0,
        name: "x".into(),
        section: section(32, 4),
    });
    both.store(&outputs).unwrap_err();
    let mut unwritten = [0; 4];
    memory.file.read_exact_at(&mut unwritten, 32).unwrap();
    assert_eq!(unwritten, [3; 4]);
}
