//! Measures the overhead of a call within the process: the difference between functions with
//! [`HOPS`] calls and without one.
//!
//! Prints two overheads in microseconds, as medians: that of a called model with a thread of its
//! own, and that of one with `inline = true`.

use std::error::Error as StdError;
use std::time::{Duration, Instant};

use pytriton::options::EngineChoice;
use pytriton::prelude::*;
use pytriton::{Error, Triton};

#[pytriton::model(name = "Threaded", client = Threaded, max_batch_size = 8)]
#[batch]
fn threaded(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "Inline", client = Inline, max_batch_size = 8, inline = true)]
#[batch]
fn inline(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "NoCalls", client = NoCalls, max_batch_size = 8)]
#[batch]
async fn no_calls(x: ArrayView2<'_, f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "ThreadedCalls", client = ThreadedCalls, max_batch_size = 8)]
#[batch]
async fn threaded_calls(
    x: ArrayView2<'_, f32>,
    next: &Call<Threaded>,
) -> Result<Array2<f32>, Error> {
    let mut x = x.to_owned();
    for _ in 0..HOPS {
        x = next.call(&x).await?;
    }
    Ok(x)
}

#[pytriton::model(name = "InlineCalls", client = InlineCalls, max_batch_size = 8)]
#[batch]
async fn inline_calls(x: ArrayView2<'_, f32>, next: &Call<Inline>) -> Result<Array2<f32>, Error> {
    let mut x = x.to_owned();
    for _ in 0..HOPS {
        x = next.call(&x).await?;
    }
    Ok(x)
}

/// The number of calls of a function.
const HOPS: u32 = 4;

/// The number of requests for each function. The first tenth starts threads and fills caches.
const REQUESTS: usize = 20_000;

/// Returns the median in microseconds.
fn median(durations: &mut Vec<Duration>) -> f64 {
    durations.drain(..REQUESTS / 10);
    durations.sort_unstable();
    let middle = durations.get(durations.len() / 2).copied();
    middle.unwrap_or_default().as_secs_f64() * 1e6
}

fn main() -> Result<(), Box<dyn StdError>> {
    let triton = Triton::builder()
        .engine(EngineChoice::Embedded)
        .free_ports()
        .build()?;
    triton.bind_registered()?;
    triton.run()?;
    let none = triton.call::<NoCalls>().ok_or("not running")?;
    let threaded = triton.call::<ThreadedCalls>().ok_or("not running")?;
    let inline = triton.call::<InlineCalls>().ok_or("not running")?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let x = Array2::<f32>::zeros((1, 4));
    let mut durations = [const { Vec::new() }; 3];
    runtime
        .block_on(async {
            for _ in 0..REQUESTS {
                let begun = Instant::now();
                none.call(&x).await?;
                let after_none = Instant::now();
                threaded.call(&x).await?;
                let after_threaded = Instant::now();
                inline.call(&x).await?;
                durations[0].push(after_none - begun);
                durations[1].push(after_threaded - after_none);
                durations[2].push(after_threaded.elapsed());
            }
            Ok::<_, Error>(())
        })
        .map_err(|error| error.to_string())?;
    let [none, threaded, inline] = durations.each_mut().map(median);
    let overhead = |with_calls: f64| (with_calls - none) / f64::from(HOPS);
    println!("{:.1} {:.1}", overhead(threaded), overhead(inline));
    triton.stop()?;
    Ok(())
}
