use std::path::Path;
use std::sync::OnceLock;
use std::{fs, io};

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};

use super::region::{FOLDER, PREFIX};

/// Returns the names of regions that killed clients have left and that servers may still have
/// registered. The first call removes their files.
pub(crate) fn stale_regions() -> &'static [String] {
    static STALE_REGIONS: OnceLock<Vec<String>> = OnceLock::new();
    STALE_REGIONS.get_or_init(|| remove_from(Path::new(FOLDER)))
}

/// Removes unlocked files.
fn remove_from(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let stale_regions = names.filter(|name| name.starts_with(PREFIX));
    // Files of other users, and files in use, are skipped.
    stale_regions
        .filter(|name| remove(&folder.join(name)).is_ok())
        .collect()
}

fn remove(path: &Path) -> io::Result<()> {
    let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = open(path, flags, Mode::empty())?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    fs::remove_file(path)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::process;
    use std::sync::Arc;

    use super::super::Region;
    use super::super::reservation::Reservation;
    use super::*;

    #[test]
    fn unlocked_region_files_are_removed() {
        let folder = Path::new(FOLDER);
        let reservation = Reservation::new(&Arc::default(), 1 << 20, usize::MAX);
        let region = Region::new(reservation.unwrap()).unwrap();
        let stale = folder.join(format!("{PREFIX}{}-stray", process::id()));
        let other = folder.join(format!("other-{PREFIX}{}", process::id()));
        for path in [&stale, &other] {
            File::create(path).unwrap();
        }
        remove_from(folder);
        assert!(!stale.exists() && other.exists());
        assert!(folder.join(region.name()).exists());
        fs::remove_file(other).unwrap();
    }
}
