//! Passes secret arguments to the server outside its command line, which every user of the machine
//! can read (`/proc/PID/cmdline`).
//!
//! The parent process writes placeholders on the command line, and the real arguments into the
//! socket that is the server's standard input. The loader calls `replace` before the server's
//! `main`, with the argument list of `main`. `replace` exchanges the pointers to placeholders. The
//! system keeps showing the original bytes.

use std::env::{remove_var, set_var, var_os};
use std::ffi::{CStr, CString, c_char, c_int};
use std::fs::{File, read_dir};
use std::io::{self, Read};
use std::os::fd::AsFd;

use super::api::next;

/// Set if there are placeholders.
const VARIABLE: &str = "PYTRITON_PLACEHOLDERS";
const PRELOAD: &str = "LD_PRELOAD";

type Constructor = unsafe extern "C" fn(c_int, *mut *const c_char, *mut *const c_char);

/// The loader calls the functions in this section. glibc passes the arguments of the process.
#[used]
#[unsafe(link_section = ".init_array")]
static REPLACE: Constructor = replace;

unsafe extern "C" fn replace(count: c_int, arguments: *mut *const c_char, _: *mut *const c_char) {
    // The library may also be loaded into a wrapper such as a shell, which must pass the
    // placeholders on.
    let server = !next(c"TRITONSERVER_ServerIsReady").is_null();
    if !server || var_os(VARIABLE).is_none() {
        return;
    }
    if is_alone() {
        forget();
    }
    // On failure the server exits, because a placeholder is not a valid value of these options.
    let Ok(mut pairs) = pairs() else { return };
    for index in 0..usize::try_from(count).unwrap_or_default() {
        // SAFETY: `arguments` has `count` elements; the loader received both from the kernel.
        let argument = unsafe { arguments.add(index) };
        // SAFETY: it is one of these elements. `main` does not run yet, and no library that was
        // initialized before may write to them.
        let text = unsafe { *argument };
        // SAFETY: the kernel put a string there that ends with a zero byte and is never freed.
        let text = unsafe { CStr::from_ptr(text) };
        if let Some(at) = pairs
            .iter()
            .position(|(placeholder, _)| **placeholder == *text)
        {
            let (_, value) = pairs.swap_remove(at);
            // SAFETY: as for the read above. The new string is never freed.
            unsafe { *argument = value.into_raw() };
        }
    }
}

/// Returns whether no other thread could read the environment. A library that was loaded before may
/// have started one.
fn is_alone() -> bool {
    read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}

/// Keeps child processes of the server from loading this library and from looking for placeholders.
/// No other thread may run.
fn forget() {
    let others = var_os(PRELOAD).and_then(|all| {
        let all = all.into_string().ok()?;
        let (_, others) = all.split_once(':')?;
        Some(others.to_owned())
    });
    // SAFETY: the only caller has checked that no other thread exists, and starts none.
    unsafe { remove_var(VARIABLE) };
    match others {
        // SAFETY: as above.
        Some(others) => unsafe { set_var(PRELOAD, others) },
        // SAFETY: as above.
        None => unsafe { remove_var(PRELOAD) },
    }
}

/// Reads the placeholders and their values: the length in bytes, then strings that each end with a
/// zero byte.
fn pairs() -> io::Result<Vec<(CString, CString)>> {
    let mut input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let mut bytes = Vec::new();
    let length = u64::from(u32::from_ne_bytes(length));
    (&mut input).take(length).read_to_end(&mut bytes)?;
    let texts = bytes.split_inclusive(|byte| *byte == 0);
    let texts =
        texts.map(|text| CString::from_vec_with_nul(text.to_vec()).map_err(io::Error::other));
    let mut texts = texts.collect::<io::Result<Vec<_>>>()?.into_iter();
    let pair = || Some((texts.next()?, texts.next()?));
    Ok(std::iter::from_fn(pair).collect())
}
