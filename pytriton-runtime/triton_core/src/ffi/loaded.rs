use std::path::{Path, PathBuf};
use std::ptr;

use parking_lot::Mutex;

use crate::library::{LibraryError, check_version};

use super::api::{Api, Basics};
use super::error::check;
use super::loader::Handle;
use super::raw::RawAllocator;
use super::{allocator, api};

/// The open library: its functions and the allocator of all responses. It is never closed.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(super) basics: Basics,
    pub(super) api: Api,
    pub(super) allocator: *mut RawAllocator,
    path: PathBuf,
    version: (u32, u32),
}

// SAFETY: the functions may be called by any thread. Triton only reads the allocator, which is
// never deleted.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

/// The library of this process, once one is open.
static LOADED: Mutex<Option<&'static Loaded>> = Mutex::new(None);

impl Loaded {
    /// Opens the library at a path, once.
    pub(crate) fn open(path: &Path) -> Result<&'static Self, LibraryError> {
        let path = path.canonicalize().map_err(|error| LibraryError::Open {
            path: path.to_owned(),
            message: error.to_string(),
        })?;
        let mut loaded = LOADED.lock();
        match *loaded {
            Some(open) if open.path == path => Ok(open),
            Some(open) => Err(LibraryError::Another {
                path,
                open: open.path.clone(),
            }),
            None => {
                let new: &'static Self = Box::leak(Box::new(Self::new(path)?));
                *loaded = Some(new);
                Ok(new)
            }
        }
    }

    fn new(path: PathBuf) -> Result<Self, LibraryError> {
        let handle = Handle::open(&path)?;
        let missing = |symbol| LibraryError::Function {
            path: path.clone(),
            symbol,
        };
        let basics = Basics::find(handle).map_err(missing)?;
        let failed = |source| LibraryError::Initialize {
            path: path.clone(),
            source,
        };
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are valid for writes.
        let error = unsafe { (basics.api_version)(&raw mut major, &raw mut minor) };
        check(&basics, error).map_err(failed)?;
        check_version(&path, (major, minor))?;
        let api = Api::find(handle).map_err(missing)?;
        handle.publish(&path)?;
        let mut raw = ptr::null_mut();
        let (allocate, release): (api::AllocateFn, api::ReleaseBufferFn) =
            (allocator::allocate, allocator::release);
        // SAFETY:
        // - `raw` is valid for writes.
        // - The callbacks have the types that Triton's headers declare, and live forever.
        let error = unsafe { (api.allocator_new)(&raw mut raw, allocate, release, None) };
        check(&basics, error).map_err(failed)?;
        Ok(Self {
            basics,
            api,
            allocator: raw,
            version: (major, minor),
            path,
        })
    }

    /// Returns the major and minor version of the API.
    pub(crate) fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Returns the path of the library.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Converts the return value of a function to a result.
    pub(super) fn check(&self, error: api::Error) -> Result<(), crate::CoreError> {
        check(&self.basics, error)
    }
}
