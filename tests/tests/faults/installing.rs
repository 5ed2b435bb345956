//! An interrupted `install`, and one that waits for another.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use pytriton_tests::Result;

use crate::process::{signal, wait_until};
use crate::{EXIT, MODELS, NOTICED};

/// An `install` with only our `pip` in `PATH`, which is killed when it is dropped.
struct Install {
    product: Child,
    log: tempfile::NamedTempFile,
}

impl Install {
    fn start(cache: &Path, pip: &Path) -> Result<Self> {
        let log = tempfile::NamedTempFile::new()?;
        let product = Command::new(MODELS)
            .arg("install")
            .env("XDG_CACHE_HOME", cache)
            .env("PATH", pip)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log.reopen()?)
            .spawn()?;
        Ok(Self { product, log })
    }

    fn log(&self) -> String {
        fs::read_to_string(self.log.path()).unwrap_or_default()
    }
}

impl Drop for Install {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.product.kill();
        let _ = self.product.wait();
    }
}

/// Creates a directory with a `pip` that runs a script instead of a download.
fn pip(then: &str) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("pip");
    let script =
        format!("#!/bin/sh\nPATH=/usr/bin:/bin\n[ \"$1\" = --version ] && exit 0\n{then}\n");
    fs::write(&path, script)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(folder)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.collect()
}

fn runs(id: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

#[test]
fn interrupted_installation_leaves_no_files() -> Result<()> {
    let cache = tempfile::tempdir()?;
    let folder = cache.path().join("pytriton/tritonserver");
    let ids = tempfile::tempdir()?;
    let file = ids.path().join("id");
    let hanging = pip(&format!("echo $$ > '{}'; exec sleep 300", file.display()))?;
    let broken = pip("exit 7")?;
    let mut first = Install::start(cache.path(), hanging.path())?;
    let id = || fs::read_to_string(&file).ok()?.trim().parse().ok();
    wait_until("the download", EXIT, || id().is_some());
    let id = id().unwrap_or_default();
    let mut second = Install::start(cache.path(), broken.path())?;
    wait_until("word of the wait", EXIT, || {
        second
            .log()
            .contains("waiting for another installation to finish")
    });
    assert!(runs(id));
    assert!(
        names(&folder)
            .iter()
            .any(|name| name.starts_with(".draft-"))
    );
    signal("TERM", first.product.id())?;
    assert_eq!(first.product.wait()?.signal(), Some(15));
    wait_until("the end of the download", NOTICED, || !runs(id));
    let status = second.product.wait()?;
    let log = second.log();
    assert_eq!(status.code(), Some(1), "{log}");
    let expected = "error: cannot download the wheel: `pip` failed with exit status: 7";
    assert!(log.contains(expected), "{log}");
    assert_eq!(names(&folder), [".lock"]);
    Ok(())
}
