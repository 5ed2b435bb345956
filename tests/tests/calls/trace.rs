//! The spans of a call belong to the trace of the request.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pytriton::client::AsyncModelClient;
use pytriton::ndarray::array;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::{Result, served, url};

/// A span: its parent, its name and its model.
#[derive(Debug, Clone, Default)]
struct Recorded {
    parent: Option<u64>,
    name: &'static str,
    model: String,
}

static SPANS: Mutex<BTreeMap<u64, Recorded>> = Mutex::new(BTreeMap::new());

thread_local! {
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

fn spans() -> MutexGuard<'static, BTreeMap<u64, Recorded>> {
    SPANS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Visit for Recorded {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "model" {
            self.model = value.to_owned();
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

struct Recorder;

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "pytriton::request"
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let current = ENTERED.with_borrow(|entered| entered.last().copied());
        let parent = attributes.parent().map(|id| id.into_u64());
        let mut span = Recorded {
            parent: match attributes.is_contextual() {
                true => current,
                false => parent,
            },
            name: attributes.metadata().name(),
            model: String::new(),
        };
        attributes.record(&mut span);
        let mut spans = spans();
        let id = spans.len() as u64 + 1;
        spans.insert(id, span);
        Id::from_u64(id)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, id: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(id.into_u64()));
    }

    fn exit(&self, _: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.pop());
    }
}

/// Returns the name and the model of a span and its parents.
fn path(spans: &BTreeMap<u64, Recorded>, span: &Recorded) -> Vec<String> {
    let parent = |span: &&Recorded| spans.get(&span.parent?);
    let path = std::iter::successors(Some(span), parent);
    path.map(|span| format!("{} {}", span.name, span.model))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn request_of_a_call_is_a_child_of_the_function() -> Result {
    tracing::subscriber::set_global_default(Recorder)?;
    let triton = served()?;
    let client = AsyncModelClient::new(&url(&triton)?, "Caller")?;
    client.infer_batch(array![[1.0_f32]]).await?;
    triton.stop()?;
    let spans = spans();
    let paths: Vec<_> = spans.values().map(|span| path(&spans, span)).collect();
    for model in ["Double", "Mixed"] {
        let expected = [
            &format!("function {model}"),
            &format!("batch {model}"),
            &format!("request {model}"),
            "function Caller",
            "batch Caller",
            "request Caller",
        ];
        assert!(paths.iter().any(|path| *path == expected), "{paths:#?}");
    }
    Ok(())
}
