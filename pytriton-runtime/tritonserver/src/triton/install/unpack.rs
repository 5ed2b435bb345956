use std::fs::{DirBuilder, File};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use super::InstallError;
use super::progress::Progress;

/// The parts of the wheel that are kept, and their targets. The binary finds its libraries in
/// `../lib`.
const KEPT: &[(&str, &str)] = &[
    ("pytriton/tritonserver/bin/", "bin"),
    ("pytriton/tritonserver/caches/", "caches"),
    ("nvidia_pytriton.libs/", "lib"),
    ("nvidia_pytriton-0.7.0.dist-info/licenses/", "licenses"),
];

/// The files that an unpacked wheel must contain.
const NEEDED: &[&str] = &["bin/tritonserver", "caches/local/libtritoncache_local.so"];

/// Unpacks the server, its caches, libraries and licences from a wheel into a folder.
pub(super) fn unpack(wheel: impl Read + Seek, folder: &Path) -> Result<(), InstallError> {
    let mut archive = ZipArchive::new(wheel)?;
    let mut files = Vec::new();
    let mut total = 0_u64;
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index)?;
        // The wheel is trusted as a whole or not at all: no file may have a path outside the
        // folder, even one that is not kept.
        let (Some(name), false) = (file.enclosed_name(), file.is_symlink()) else {
            return Err(InstallError::Escape {
                name: file.name()?.into_owned(),
            });
        };
        if let (Some(target), true) = (target(&name), file.is_file()) {
            total = total.saturating_add(file.size());
            files.push((index, folder.join(target)));
        }
    }
    let mut progress = Progress::new(total);
    for (index, path) in files {
        write(&mut archive.by_index(index)?, &path, &mut progress)?;
    }
    match missing(folder) {
        None => Ok(()),
        Some(name) => Err(InstallError::Incomplete { name }),
    }
}

/// Returns the first required file that a folder lacks.
pub(super) fn missing(folder: &Path) -> Option<&'static str> {
    let mut needed = NEEDED.iter().copied();
    needed.find(|name| !folder.join(name).is_file())
}

fn target(name: &Path) -> Option<PathBuf> {
    KEPT.iter().find_map(|(prefix, folder)| {
        let inside = name.strip_prefix(prefix).ok()?;
        Some(Path::new(folder).join(inside))
    })
}

/// Creates a folder that only this user can write to, whatever the `umask` is.
pub(super) fn create_folder(folder: &Path) -> Result<(), InstallError> {
    let mut builder = DirBuilder::new();
    let created = builder.recursive(true).mode(0o755).create(folder);
    created.map_err(InstallError::at(folder))
}

fn write(from: &mut impl Read, path: &Path, progress: &mut Progress) -> Result<(), InstallError> {
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    let mut options = File::options();
    // A wheel does not record permissions, and libraries may be executable too.
    let mut to = options
        .write(true)
        .create_new(true)
        .mode(0o755)
        .open(path)
        .map_err(InstallError::at(path))?;
    let mut buffer = vec![0; 1 << 16];
    let mut copy = || -> io::Result<()> {
        loop {
            match from.read(&mut buffer)? {
                0 => return to.sync_all(),
                read => {
                    to.write_all(&buffer[..read])?;
                    progress.advance(read as u64);
                }
            }
        }
    };
    copy().map_err(InstallError::at(path))
}
