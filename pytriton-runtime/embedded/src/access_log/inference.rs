use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use pytriton_core::model::ModelSpec;
use pytriton_core::request::{InferRequest, Request, Response, TraceEvents};
use pytriton_core::statistics::Durations;
use pytriton_core::text::id_in_log;
use pytriton_engine::logging::InferenceSummary;
use tokio::task_local;
use tokio::time::Instant;

use super::PendingLine;
use super::logged_request::LoggedRequest;

task_local! {
    /// The request that the task serves.
    static CURRENT: Arc<LoggedRequest>;
}

/// Reports an inference to the request that the task serves, if that is in the access log.
pub(crate) fn attach(request: &mut InferRequest) {
    let logged = CURRENT.try_with(Arc::clone);
    if let Ok(logged) = logged {
        request.traced = Some(Arc::new(LoggedInference {
            logged,
            traced: request.traced.take(),
            queued: Mutex::new(None),
        }));
    }
}

impl PendingLine {
    /// Runs a future whose inferences belong to the request.
    pub(crate) async fn around<T>(&self, future: impl Future<Output = T>) -> T {
        CURRENT.scope(Arc::clone(&self.request), future).await
    }

    /// Like [`around`](Self::around), for a function.
    pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(Arc::clone(&self.request), work)
    }
}

/// An inference of a request in the access log.
#[derive(Debug)]
struct LoggedInference {
    logged: Arc<LoggedRequest>,
    /// Another recorder of events.
    traced: Option<Arc<dyn TraceEvents>>,
    /// When it entered the queue.
    queued: Mutex<Option<Instant>>,
}

impl LoggedInference {
    fn update(&self, change: impl FnOnce(&mut InferenceSummary)) {
        change(self.logged.inference.lock().get_or_insert_default());
    }
}

impl TraceEvents for LoggedInference {
    fn now(&self, name: &'static str) {
        if let Some(traced) = &self.traced {
            traced.now(name);
        }
    }

    fn waits(&self, request: &Request) {
        *self.queued.lock() = Some(Instant::now());
        self.update(|summary| {
            let model = request.model();
            summary.model = model.name.as_ref().to_owned();
            summary.version = model.version;
            summary.id = id_in_log(request.id());
            summary.inferences += 1;
            summary.rows += request.batch_size();
        });
        if let Some(traced) = &self.traced {
            traced.waits(request);
        }
    }

    fn batched(&self, rows: usize) {
        let queued = self.queued.lock().take();
        self.update(|summary| {
            summary.batch_size = summary.batch_size.max(rows);
            summary.queue += queued.map_or(Duration::ZERO, |queued| queued.elapsed());
        });
        if let Some(traced) = &self.traced {
            traced.batched(rows);
        }
    }

    fn computed(&self, begun: Instant, durations: Durations) {
        self.update(|summary| {
            *summary.compute.get_or_insert_default() += durations.total();
        });
        if let Some(traced) = &self.traced {
            traced.computed(begun, durations);
        }
    }

    fn responded(&self, model: &ModelSpec, response: &Response) {
        if let Some(traced) = &self.traced {
            traced.responded(model, response);
        }
    }
}
