//! Models for `tests/abuse` that its ordinary clients do not use.

use std::time::Duration;

use pytriton::openai::Messages;
use pytriton::prelude::*;

/// Sends `count` responses of the given number of bytes.
#[pytriton::model(name = "Flow", max_batch_size = 1, batches_in_flight = 64)]
async fn flow(
    count: ArrayView2<'_, u32>,
    bytes: ArrayView2<'_, u32>,
    responses: &Responses<Array2<u8>>,
) -> Result<(), Cancelled> {
    for _ in 0..count[[0, 0]] {
        responses
            .send(Array2::zeros((1, bytes[[0, 0]] as usize)))
            .await?;
    }
    Ok(())
}

/// Returns the given number of bytes after the given number of milliseconds, in the order of the
/// requests.
#[pytriton::model(
    name = "Ordered",
    max_batch_size = 1,
    batches_in_flight = 64,
    preserve_ordering = true
)]
async fn ordered(milliseconds: ArrayView2<'_, u32>, bytes: ArrayView2<'_, u32>) -> Array2<u8> {
    let milliseconds = milliseconds[[0, 0]].into();
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    Array2::zeros((1, bytes[[0, 0]] as usize))
}

/// Rows of `INPUT_1` bytes, in one tensor for all requests of a call.
#[pytriton::model(
    name = "Rows",
    max_batch_size = 16,
    max_queue_delay_microseconds = 2000
)]
#[batch]
fn rows(#[input(name = "INPUT_1")] bytes: ArrayView2<'_, u32>) -> Array2<u8> {
    let columns = bytes.iter().max().map_or(0, |bytes| *bytes as usize);
    // Zeros would not occupy memory until they are read.
    Array2::from_elem((bytes.nrows(), columns), 7)
}

/// Rows that are called apart wherever their values differ.
#[pytriton::model(name = "Grouped", max_batch_size = 65536)]
#[batch]
#[group_by_values(key)]
fn grouped(key: ArrayView2<'_, i32>) -> Array2<i32> {
    key.to_owned()
}

/// Bytes that the response cache keeps.
#[pytriton::model(name = "CachedBytes", max_batch_size = 1, response_cache = true)]
fn cached_bytes(#[input(name = "INPUT_1")] bytes: ArrayView2<'_, u8>) -> Array2<u8> {
    bytes.to_owned()
}

/// A prompt again.
#[pytriton::model(name = "Completion")]
#[openai(completions)]
fn completion(prompt: String) -> String {
    prompt
}

/// A chat again, a piece for each message.
#[pytriton::model(name = "Chat")]
#[openai(chat)]
fn chat(messages: Messages) -> impl Iterator<Item = String> {
    messages.into_iter().map(|message| message.content)
}
