use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::{fs, ptr};

use crate::library::LibraryError;

/// `RTLD_NOW`.
const NOW: c_int = 2;
/// `RTLD_LOCAL`.
const LOCAL: c_int = 0;
/// `RTLD_NOLOAD`: a library that is not open is an error.
const NOLOAD: c_int = 4;
/// `RTLD_GLOBAL`. Backends find Triton's functions in the global scope of the process.
const GLOBAL: c_int = 0x100;

unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, symbol: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

/// An open library. It is never closed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Handle(*mut c_void);

impl Handle {
    /// Opens Triton's library, without adding its functions to the global scope of the process: it
    /// may be refused.
    ///
    /// The libraries next to it are opened first if it needs them: the search path of an executable
    /// does not apply to a library that another program opens.
    pub(super) fn open(path: &Path) -> Result<Self, LibraryError> {
        if cfg!(target_feature = "crt-static") {
            return Err(LibraryError::Open {
                path: path.to_owned(),
                message: "this program is linked statically, and cannot open libraries".to_owned(),
            });
        }
        let first = match open(path, NOW | LOCAL) {
            Ok(handle) => return Ok(Self(handle)),
            Err(message) => message,
        };
        let failed = |message| LibraryError::Open {
            path: path.to_owned(),
            message,
        };
        if !path.is_file() {
            return Err(failed(first));
        }
        open_siblings(path);
        open(path, NOW | LOCAL).map(Self).map_err(failed)
    }

    /// Adds the functions of the library, which is open, and of those that it needs to the global
    /// scope of the process.
    pub(super) fn publish(self, path: &Path) -> Result<(), LibraryError> {
        let published = open(path, NOW | GLOBAL | NOLOAD);
        published.map(drop).map_err(|message| LibraryError::Open {
            path: path.to_owned(),
            message,
        })
    }

    /// Returns the address of a function, or null.
    pub(super) fn find(self, symbol: &CStr) -> *mut c_void {
        // SAFETY:
        // - The handle is open, because no handle is ever closed.
        // - `symbol` ends with a zero byte and outlives the call.
        unsafe { dlsym(self.0, symbol.as_ptr()) }
    }
}

/// Opens the other libraries of a folder, until none opens that did not before. Those that do not
/// open are not needed, or opening Triton's library names them.
fn open_siblings(path: &Path) {
    let entries = fs::read_dir(path.parent().unwrap_or(path));
    let entries = entries.into_iter().flatten().flatten();
    let mut closed: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|entry| entry != path && is_library(entry))
        .collect();
    closed.sort();
    loop {
        let before = closed.len();
        closed.retain(|path| open(path, NOW | LOCAL).is_err());
        if closed.len() == before {
            return;
        }
    }
}

/// Returns whether a file has the name of a shared library, such as `libz.so.1`.
fn is_library(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::to_string_lossy);
    name.is_some_and(|name| {
        name.starts_with("lib") && (name.ends_with(".so") || name.contains(".so."))
    })
}

/// Opens a library, and returns the loader's message if that fails.
fn open(path: &Path, flags: c_int) -> Result<*mut c_void, String> {
    let text = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    // SAFETY:
    // - `text` ends with a zero byte and outlives the call.
    // - The initialisers of the library run. The user who chose the installation trusts its code,
    //   as with an executable.
    let handle = unsafe { dlopen(text.as_ptr(), flags) };
    if handle.is_null() {
        return Err(last_error());
    }
    Ok(handle)
}

/// Returns the loader's message about the last failure of this thread.
fn last_error() -> String {
    // SAFETY: the function has no preconditions.
    let text = unsafe { dlerror() };
    if ptr::eq(text, ptr::null()) {
        return "unknown error".to_owned();
    }
    // SAFETY: the message ends with a zero byte, and lives until this thread calls the loader
    // again.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
