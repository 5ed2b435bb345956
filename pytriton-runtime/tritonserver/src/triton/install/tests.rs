//! Tests with generated wheels.

use std::io::{Cursor, Write};
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use sha2::{Digest, Sha256};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

const GOOD: &[(&str, &str)] = &[
    ("pytriton/tritonserver/bin/tritonserver", "binary"),
    (
        "pytriton/tritonserver/caches/local/libtritoncache_local.so",
        "cache",
    ),
    (
        "pytriton/tritonserver/backends/python/libtriton_python.so",
        "not needed",
    ),
    ("pytriton/client/client.py", "not needed"),
    ("nvidia_pytriton.libs/liba.so.1", "library"),
    (
        "nvidia_pytriton-0.7.0.dist-info/licenses/LICENSE",
        "licence",
    ),
    ("nvidia_pytriton-0.7.0.dist-info/RECORD", "not needed"),
];

fn wheel(files: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn install(folder: &Path, wheel: &[u8]) -> Result<Installed, InstallError> {
    let sha256: String = Sha256::digest(wheel)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    install_from(folder, sha256.leak(), |into| bring(into, wheel))
}

fn bring(into: &Path, wheel: &[u8]) -> Result<PathBuf, InstallError> {
    fs::create_dir_all(into).unwrap();
    let path = into.join(WHEEL);
    fs::write(&path, wheel).unwrap();
    Ok(path)
}

/// Returns the names in a folder, except the lock.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| name != ".lock");
    names.sort();
    names
}

#[test]
fn required_files_are_unpacked() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("2.51.0");
    let done = install(&folder, &wheel(GOOD)).unwrap();
    assert_eq!(
        done,
        Installed {
            folder: folder.clone(),
            before: false
        }
    );
    assert_eq!(names(&folder), ["bin", "caches", "lib", "licenses"]);
    let binary = folder.join("bin/tritonserver");
    assert_eq!(fs::read(&binary).unwrap(), b"binary");
    assert!(binary.metadata().unwrap().permissions().mode() & 0o100 != 0);
    assert_eq!(fs::read(folder.join("lib/liba.so.1")).unwrap(), b"library");
    assert_eq!(names(parent.path()), ["2.51.0"]);
    let again = install_from(&folder, "", |_| panic!("it is there")).unwrap();
    assert!(again.before);
}

#[test]
fn failed_installation_leaves_nothing() {
    let mut escaping = GOOD.to_vec();
    escaping.push(("nvidia_pytriton.libs/../../evil", "evil"));
    let table: [(Vec<u8>, &str); 4] = [
        (wheel(&escaping), "is outside the installation folder"),
        (wheel(&GOOD[1..]), "does not contain bin/tritonserver"),
        (b"no wheel".to_vec(), "cannot read the wheel"),
        (wheel(GOOD)[..200].to_vec(), "cannot read the wheel"),
    ];
    for (wheel, expected) in table {
        let parent = tempfile::tempdir().unwrap();
        let error = install(&parent.path().join("2.51.0"), &wheel)
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
        assert!(names(parent.path()).is_empty());
    }
    let parent = tempfile::tempdir().unwrap();
    let error = install_from(&parent.path().join("2.51.0"), SHA256, |into| {
        bring(into, &wheel(GOOD))
    });
    assert!(matches!(error, Err(InstallError::Checksum { .. })));
    assert!(names(parent.path()).is_empty());
}

#[test]
fn interrupted_installation_is_repeated() {
    let parent = tempfile::tempdir().unwrap();
    let left = parent.path().join(format!("{TEMP_PREFIX}1/tree/bin"));
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("tritonserver"), "half").unwrap();
    let folder = parent.path().join("2.51.0");
    assert!(!install(&folder, &wheel(GOOD)).unwrap().before);
    assert_eq!(names(parent.path()), ["2.51.0"]);
    assert_eq!(
        fs::read(folder.join("bin/tritonserver")).unwrap(),
        b"binary"
    );
    // An installation that was interrupted just before its end.
    fs::create_dir_all(left).unwrap();
    assert!(install(&folder, &wheel(GOOD)).unwrap().before);
    assert_eq!(names(parent.path()), ["2.51.0"]);
}

#[test]
fn incomplete_installation_is_replaced() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("2.51.0");
    fs::create_dir_all(folder.join("bin")).unwrap();
    assert!(install(&folder, &wheel(&GOOD[1..])).is_err());
    assert_eq!(names(&folder), ["bin"]);
    assert!(!install(&folder, &wheel(GOOD)).unwrap().before);
    assert!(folder.join("bin/tritonserver").is_file());
    assert!(install(&folder, &wheel(GOOD)).unwrap().before);
    assert_eq!(names(home.path()), ["2.51.0"]);
}

#[test]
fn concurrent_installations_download_once() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("2.51.0");
    let (wheel, fetched) = (wheel(GOOD), AtomicU32::new(0));
    let sha256: String = Sha256::digest(&wheel)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let sha256: &'static str = sha256.leak();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                install_from(&folder, sha256, |into| {
                    fetched.fetch_add(1, Ordering::Relaxed);
                    bring(into, &wheel)
                })
                .unwrap()
            });
        }
    });
    assert_eq!(fetched.into_inner(), 1);
}

#[test]
fn glibc_versions_are_compared_numerically() {
    let table = [
        ("glibc 2.36", Some((2, 36))),
        ("glibc 2.9", Some((2, 9))),
        ("glibc 2.35.1", Some((2, 35))),
        ("musl 1.2", None),
        ("", None),
    ];
    for (text, expected) in table {
        assert_eq!(glibc_version(text), expected);
    }
    assert!((2, 36) >= GLIBC && (2, 9) < GLIBC);
}
