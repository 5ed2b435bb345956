//! Bodies of HTTP requests.

use std::sync::{Arc, LazyLock};

use pytriton_runtime::fuzzing;
use pytriton_runtime::model::{ModelSpec, Surface};

use crate::Outcome;
use crate::reserved::{UNTRACKED, reserved};

/// The maximum length of an error text, whatever the client sends.
const LONGEST_ERROR: usize = 64 << 10;

/// The largest body after decompression.
const LIMIT: usize = 256 << 10;

/// The window and the tables of a decoder, and the extra field of gzip, which are not reserved: a
/// thread has at most one decoder.
pub(crate) const DECODER: usize = 128 << 10;

static EVERY: LazyLock<Arc<ModelSpec>> = LazyLock::new(fuzzing::every_datatype);
static COMPLETIONS: LazyLock<Arc<ModelSpec>> =
    LazyLock::new(|| fuzzing::texts(Surface::Completions));
static CHAT: LazyLock<Arc<ModelSpec>> = LazyLock::new(|| fuzzing::texts(Surface::Chat));
static EMBEDDINGS: LazyLock<Arc<ModelSpec>> = LazyLock::new(fuzzing::embeddings);

/// A body without binary data.
pub(crate) fn json_infer(input: &[u8]) -> Outcome {
    infer(None, input)
}

/// The first line is the value of `Inference-Header-Content-Length`, the rest is the body.
pub(crate) fn binary_infer(input: &[u8]) -> Outcome {
    let (header, body) = split(input, b'\n');
    let header = std::str::from_utf8(header).map_err(|error| error.to_string())?;
    infer(Some(header), body)
}

fn infer(header: Option<&str>, body: &[u8]) -> Outcome {
    let spec = &*EVERY;
    refused(reserved(UNTRACKED, |budget| {
        fuzzing::infer(spec, header, body, budget)
    }))
}

/// A body of the generate extension.
pub(crate) fn generate(input: &[u8]) -> Outcome {
    let spec = &*EVERY;
    refused(reserved(UNTRACKED, |budget| {
        fuzzing::generate(spec, input, budget)
    }))
}

/// The first byte is `c` for completions, `e` for embeddings, any other for chat; the rest is the
/// body.
pub(crate) fn openai(input: &[u8]) -> Outcome {
    let Some((surface, body)) = input.split_first() else {
        return Err("empty".to_owned());
    };
    let (spec, surface) = match surface {
        b'c' => (&*COMPLETIONS, Surface::Completions),
        b'e' => (&*EMBEDDINGS, Surface::Embeddings),
        _ => (&*CHAT, Surface::Chat),
    };
    refused(reserved(UNTRACKED, |budget| {
        fuzzing::openai(spec, surface, body, budget)
    }))
}

/// The first byte selects the kind of request, the rest is the body.
pub(crate) fn control(input: &[u8]) -> Outcome {
    let Some((kind, body)) = input.split_first() else {
        return Err("empty".to_owned());
    };
    refused(reserved(UNTRACKED, |budget| {
        fuzzing::control(kind.wrapping_sub(b'0'), body, budget)
    }))
}

/// A body compressed with gzip or deflate.
pub(crate) fn inflate(input: &[u8]) -> Outcome {
    let length = refused(reserved(UNTRACKED + DECODER, |budget| {
        fuzzing::inflate(input, LIMIT, budget)
    }))?;
    assert!(length <= LIMIT, "{length} bytes are above the limit");
    Ok(())
}

fn refused<T>(result: Result<T, String>) -> Result<T, String> {
    if let Err(error) = &result {
        let length = error.len();
        assert!(
            length <= LONGEST_ERROR,
            "an error text has {length} bytes: {error:.200}"
        );
    }
    result
}

/// Returns the bytes before and after the first `mark`. Without a mark, all bytes are before it.
fn split(input: &[u8], mark: u8) -> (&[u8], &[u8]) {
    let at = input.iter().position(|byte| *byte == mark);
    match at {
        Some(at) => (&input[..at], &input[at + 1..]),
        None => (input, &[]),
    }
}
