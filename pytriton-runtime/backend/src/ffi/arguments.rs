//! Arguments of the server that stand on no command line: anybody on the machine may read those (`/proc/PID/cmdline`).
//!
//! Whoever starts the server writes placeholders there, and what they stand for into the socket that is its standard input.
//! The loader calls `replace` before the server's `main`, with the list of arguments that `main` is called with: pointers, of
//! which those to placeholders are replaced. What the system shows is the bytes that they pointed to.

use std::env::{remove_var, set_var, var_os};
use std::ffi::{CStr, CString, c_char, c_int};
use std::fs::{File, read_dir};
use std::io::{self, Read};
use std::os::fd::AsFd;

use super::api::next;

/// Says that something is to be replaced.
const VARIABLE: &str = "PYTRITON_PLACEHOLDERS";
const PRELOAD: &str = "LD_PRELOAD";

type Constructor = unsafe extern "C" fn(c_int, *mut *const c_char, *mut *const c_char);

/// The loader calls what stands in this section; that of glibc with the arguments of the process.
#[used]
#[unsafe(link_section = ".init_array")]
static REPLACE: Constructor = replace;

unsafe extern "C" fn replace(count: c_int, arguments: *mut *const c_char, _: *mut *const c_char) {
    // What else runs with this library is a shell, say, on its way to the server: it shall hand the placeholders on.
    let server = !next(c"TRITONSERVER_ServerIsReady").is_null();
    if !server || var_os(VARIABLE).is_none() {
        return;
    }
    if is_alone() {
        forget();
    }
    // Where this fails the server ends, since a placeholder is no value of any option of these.
    let Ok(mut pairs) = pairs() else { return };
    for index in 0..usize::try_from(count).unwrap_or_default() {
        // SAFETY: `arguments` has `count` elements, as the loader has it from the kernel.
        let argument = unsafe { arguments.add(index) };
        // SAFETY: one of these elements; `main` does not run yet, and no library before it has been given them to write.
        let text = unsafe { *argument };
        // SAFETY: the kernel has put a text there that ends with a zero byte, and it stays.
        let text = unsafe { CStr::from_ptr(text) };
        if let Some(at) = pairs
            .iter()
            .position(|(placeholder, _)| **placeholder == *text)
        {
            let (_, value) = pairs.swap_remove(at);
            // SAFETY: as for the read above. The text is never freed.
            unsafe { *argument = value.into_raw() };
        }
    }
}

/// Whether no other thread could look at the environment. A library that was loaded before may have started one.
fn is_alone() -> bool {
    read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}

/// Lets nothing that the server starts load this library, or look for placeholders. No other thread may run.
fn forget() {
    let others = var_os(PRELOAD).and_then(|all| {
        let all = all.into_string().ok()?;
        let (_, others) = all.split_once(':')?;
        Some(others.to_owned())
    });
    // SAFETY: the one caller has found no thread but this one, which starts none here.
    unsafe { remove_var(VARIABLE) };
    match others {
        // SAFETY: as above.
        Some(others) => unsafe { set_var(PRELOAD, others) },
        // SAFETY: as above.
        None => unsafe { remove_var(PRELOAD) },
    }
}

/// The placeholders, and what they stand for: texts that end with a zero byte, and before them how many bytes they are.
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
