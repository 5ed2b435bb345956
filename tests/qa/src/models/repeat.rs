//! Models with one response for each element of `IN`.

use std::thread;
use std::time::Duration;

use futures_util::stream::{self, Stream, StreamExt};
use pytriton::prelude::*;

/// An element, its index, and the time before its response.
type Item = (i32, u32, Duration);

/// A response: the element and its index.
type Indexed = (Array1<i32>, Array1<u32>);

fn items(
    values: ArrayView1<'_, i32>,
    delays: ArrayView1<'_, u32>,
) -> Result<impl Iterator<Item = Item> + use<>, String> {
    let (expected, received) = (values.len(), delays.len());
    if expected != received {
        let message = "expected IN and DELAY shape to match, got";
        return Err(format!("{message} [{expected}] and [{received}]"));
    }
    let delay = |delay: &u32| Duration::from_millis((*delay).into());
    let items: Vec<_> = values
        .iter()
        .copied()
        .zip(delays.iter().map(delay))
        .collect();
    Ok((0..)
        .zip(items)
        .map(|(index, (value, delay))| (value, index, delay)))
}

/// Yields each item after its delay.
fn delayed(items: impl Iterator<Item = Item>) -> impl Stream<Item = Item> {
    stream::iter(items).then(|item| async move {
        tokio::time::sleep(item.2).await;
        item
    })
}

fn indexed((value, index, _): Item) -> Indexed {
    (array![value], array![index])
}

macro_rules! repeat {
    ($name:literal, $function:ident) => {
        #[pytriton::model(name = $name, batching = false, batches_in_flight = 8)]
        #[output(name = "OUT", shape = [1])]
        #[output(name = "IDX", shape = [1])]
        fn $function(
            #[input(name = "IN")] values: ArrayView1<i32>,
            #[input(name = "DELAY")] delays: ArrayView1<u32>,
            #[input(name = "WAIT", shape = [1])] _: ArrayView1<u32>,
        ) -> Result<impl Stream<Item = Indexed> + use<>, String> {
            Ok(delayed(items(values, delays)?).map(indexed))
        }
    };
}

repeat!("repeat_int32", repeat_int32);
// These functions replace ensembles.
repeat!("simple_repeat", simple_repeat);
repeat!("sequence_repeat", sequence_repeat);

/// Doubles the elements.
#[pytriton::model(name = "fan_repeat", batching = false, batches_in_flight = 8)]
#[output(name = "OUT", shape = [1])]
fn fan_repeat(
    #[input(name = "IN")] values: ArrayView1<i32>,
    #[input(name = "DELAY")] delays: ArrayView1<u32>,
    #[input(name = "WAIT", shape = [1])] _: ArrayView1<u32>,
) -> Result<impl Stream<Item = Array1<i32>> + use<>, String> {
    Ok(delayed(items(values, delays)?).map(|(value, ..)| array![2 * value]))
}

macro_rules! square {
    ($name:literal, $function:ident) => {
        /// Sends each element as many times as its value.
        #[pytriton::model(name = $name, batching = false, batches_in_flight = 8)]
        #[output(name = "OUT", shape = [1])]
        fn $function(
            #[input(name = "IN")] values: ArrayView1<i32>,
            #[input(name = "DELAY")] delays: ArrayView1<u32>,
            #[input(name = "WAIT", shape = [1])] _: ArrayView1<u32>,
        ) -> Result<impl Stream<Item = Array1<i32>> + use<>, String> {
            let items = items(values, delays)?.flat_map(|(value, index, delay)| {
                (0..value).map(move |copy| match copy {
                    0 => (value, index, delay),
                    _ => (value, index, Duration::ZERO),
                })
            });
            Ok(delayed(items).map(|(value, ..)| array![value]))
        }
    };
}

square!("repeat_square", repeat_square);
square!("nested_square", nested_square);

/// L0_grpc_state_cleanup: sends only the first response.
#[pytriton::model(
    name = "repeat_int32_non_decoupled",
    batching = false,
    batches_in_flight = 8
)]
#[output(name = "OUT", shape = [1])]
#[output(name = "IDX", shape = [1])]
fn non_decoupled(
    #[input(name = "IN")] values: ArrayView1<i32>,
    #[input(name = "DELAY")] delays: ArrayView1<u32>,
    #[input(name = "WAIT", shape = [1])] _: ArrayView1<u32>,
) -> Result<Indexed, String> {
    let item = items(values, delays)?.next().ok_or("no response")?;
    thread::sleep(item.2);
    Ok(indexed(item))
}
