use std::time::{Duration, Instant, SystemTime};

use pytriton_tests::{Result, Server};
use serde_json::Value;

use super::{Book, Span};
use crate::load::Driven;
use crate::random::Random;

/// NVIDIA's gRPC client in a separate process, which is killed when this is dropped.
pub(crate) struct Grpc(Driven);

impl Grpc {
    /// Starts one client per habit of `ledger.py`, which runs until it is stopped. Some habits need
    /// the region of that name.
    pub(crate) fn start(
        server: &Server,
        region: &str,
        habits: &str,
        random: &mut Random,
    ) -> Result<Self> {
        let mut driven = Driven::start("ledger.py")?;
        let address = &server.banner().grpc;
        let seed = random.below(1 << 30);
        let answer = driven.send_line(&format!("begin {address} {region} {seed} {habits}"))?;
        assert_eq!(answer, "warm");
        Ok(Self(driven))
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.0.kill()
    }

    /// Stops the clients after their current calls.
    pub(crate) fn end(&mut self) -> Result<Book> {
        let report: Value = serde_json::from_str(&self.0.send_line("end")?).unwrap_or_default();
        let texts = |name: &str| report[name].as_array().cloned().unwrap_or_default();
        let mut book = Book {
            right: number(&report["right"]),
            wrong: texts("wrong").iter().map(Value::to_string).collect(),
            late: texts("late").iter().filter_map(span).collect(),
            hung: texts("hung").iter().filter_map(span).collect(),
            failed_at: texts("failed_at").iter().filter_map(instant).collect(),
            ..Book::default()
        };
        for (kind, count) in report["failed"].as_object().into_iter().flatten() {
            book.failed.insert(kind.clone(), number(count));
        }
        assert_eq!(report["stuck"], 0, "{report}");
        book.cancelled = number(&report["cancelled"]);
        Ok(book)
    }
}

fn number(value: &Value) -> usize {
    value
        .as_u64()
        .and_then(|value| value.try_into().ok())
        .unwrap_or_default()
}

/// Converts the times of a call.
fn span(times: &Value) -> Option<Span> {
    Some(Span {
        begun: instant(&times[0])?,
        ended: instant(&times[1])?,
        what: "grpc".to_owned(),
    })
}

/// Converts a wall-clock time of the other process.
fn instant(time: &Value) -> Option<Instant> {
    let now = (SystemTime::now(), Instant::now());
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs_f64(time.as_f64()?);
    now.1.checked_sub(now.0.duration_since(time).ok()?)
}
