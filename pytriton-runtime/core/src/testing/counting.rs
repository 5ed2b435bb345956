use std::future::ready;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use ndarray::{Array2, Ix2};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

use crate::call::{Call, Execution, Instance, flow};
use crate::model::CallOptions;
use crate::registry::{ModelDeclaration, ModelOptions};

use super::{GATE, IDENTITY};

/// The declaration of a decoupled model.
pub const COUNTING: ModelDeclaration = ModelDeclaration {
    options: ModelOptions {
        name: "Counting",
        call_options: CallOptions {
            batches_in_flight: 8,
            ..CallOptions::DEFAULT
        },
        ..IDENTITY.options
    },
    decoupled: true,
    load: |_| Ok(Box::new(Counting)),
    ..IDENTITY
};

/// How many functions have noticed their cancellation.
static GIVEN_UP: AtomicUsize = AtomicUsize::new(0);
/// Held by the one test that counts them.
pub static COUNTS: Mutex<()> = Mutex::const_new(());

/// Sends the number of responses that its first value specifies. -1 fails; -2 fails after one
/// response; -3 waits for [`GATE`] before its only response; -4 responds forever; -5 responds once,
/// and then waits for cancellation.
#[derive(Debug)]
struct Counting;

impl Instance for Counting {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let x = call.array::<f32, Ix2>(0)?;
            let first = x.first().copied().unwrap_or_default();
            let item = |number: u16| Array2::from_elem((1, 1), f32::from(number));
            let outputs = |item: Array2<f32>| call.outputs(item);
            let _noticed = (first <= -4.0).then(|| Noticed);
            match first {
                -1.0 | -2.0 => {
                    let answers = (first < -1.0).then(|| Ok(item(0)));
                    let failure = Err("asked to fail".to_owned());
                    let answers = answers.into_iter().chain([failure]);
                    flow(call, stream::iter(answers), |item| call.outputs(item)).await
                }
                -3.0 => {
                    drop(GATE.lock().await);
                    flow(call, stream::iter([item(0)]), outputs).await
                }
                -4.0 => flow(call, stream::repeat_with(|| item(0)), outputs).await,
                -5.0 => {
                    let last = stream::once(until_cancelled(call)).filter_map(ready);
                    flow(call, stream::iter([item(0)]).chain(last), outputs).await
                }
                _ => {
                    let count = (0..100).take_while(|number| f32::from(*number) < first);
                    flow(call, stream::iter(count.map(item)), outputs).await
                }
            }
        })
    }

    fn is_async(&self) -> bool {
        true
    }
}

/// Waits until the call is cancelled.
async fn until_cancelled(call: &Call<'_>) -> Option<Array2<f32>> {
    let cancellation = call.cancellation();
    while !cancellation.is_cancelled() {
        sleep(Duration::from_millis(1)).await;
    }
    None
}

struct Noticed;

impl Drop for Noticed {
    fn drop(&mut self) {
        GIVEN_UP.fetch_add(1, Ordering::SeqCst);
    }
}

/// Returns how many functions that respond forever have been dropped.
pub fn dropped_streams() -> usize {
    GIVEN_UP.load(Ordering::SeqCst)
}

/// Waits until `count` functions have noticed.
pub async fn noticed(count: usize) {
    let noticed = async {
        while dropped_streams() < count {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(Duration::from_secs(10), noticed).await.unwrap();
}
