use std::fmt;

use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Json, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::{LookupSpan, SpanRef};

use super::about::About;

/// Lines of JSON that say which request they are about, where they are about one.
#[derive(Debug)]
pub(super) struct RequestLines(pub(super) Format<Json>);

impl<S, N> FormatEvent<S, N> for RequestLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let about = |span: SpanRef<'_, S>| span.extensions().get::<About>().cloned();
        let own = context.event_scope();
        let own = own.and_then(|spans| spans.into_iter().find_map(about));
        // A line may belong to another span, such as that of its instance, and yet be written within a request.
        let around = || context.lookup_current()?.scope().find_map(about);
        let Some(about) = own.or_else(around) else {
            return self.0.format_event(context, writer, event);
        };
        let mut line = String::new();
        self.0
            .format_event(context, Writer::new(&mut line), event)?;
        let mut members = about.members();
        // What the line itself says counts.
        members.retain(|name, _| event.fields().all(|field| field.name() != name));
        let Some(open) = line
            .trim_end()
            .strip_suffix('}')
            .filter(|_| !members.is_empty())
        else {
            return writer.write_str(&line);
        };
        let members = serde_json::to_string(&members).map_err(|_| fmt::Error)?;
        writeln!(
            writer,
            "{open},{}",
            members.strip_prefix('{').unwrap_or_default()
        )
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use serde_json::Value;
    use tracing::info_span;
    use tracing::subscriber::with_default;
    use tracing_subscriber::Layer;
    use tracing_subscriber::filter::filter_fn;
    use tracing_subscriber::layer::SubscriberExt;

    use crate::logging::about::{Abouts, is_of_request};
    use crate::registry::ModelDeclaration;
    use crate::testing::IDENTITY;
    use crate::trace::{Trace, TraceContext, span_of};

    use super::*;

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn lines(write: impl FnOnce()) -> Vec<Value> {
        let log = Log::default();
        let writer = log.clone();
        let lines = tracing_subscriber::fmt::layer()
            .json()
            .flatten_event(true)
            .map_event_format(RequestLines)
            .with_writer(move || writer.clone());
        let subscriber = tracing_subscriber::registry()
            .with(lines)
            .with(Abouts.with_filter(filter_fn(is_of_request)));
        with_default(subscriber, write);
        let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let lines = log.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().unwrap()
    }

    fn trace(id: &str) -> Box<Trace> {
        let spec = ModelDeclaration {
            name: "Linear",
            ..IDENTITY
        }
        .spec()
        .unwrap();
        let context = || {
            let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
            TraceContext::read([parent].into_iter(), [].into_iter())
        };
        let trace = Trace::begin(&spec, context).unwrap();
        trace.identify(id);
        trace
    }

    #[test]
    fn a_line_says_which_request_it_is_about() {
        let lines = lines(|| {
            tracing::info!("before");
            let forged = "x\",\"level\":\"ERROR\n".to_owned() + &"y".repeat(9000);
            let trace = trace(&forged);
            let span = span_of(Some(&trace)).entered();
            tracing::info!("within");
            let instance = info_span!(parent: None, "model", name = "Linear");
            tracing::info!(parent: &instance, model = "Other", "of an instance");
            drop(span);
            tracing::info!("behind");
        });
        assert_eq!(lines.len(), 4);
        for line in [&lines[0], &lines[3]] {
            assert_eq!(line.get("request_id"), None, "{line}");
        }
        for line in &lines[1..3] {
            let id = line["request_id"].as_str().unwrap();
            assert!(id.starts_with("x\",\"level") && id.len() < 200, "{id}");
            assert_eq!(line["level"], "INFO");
            assert_eq!(line["trace_id"], "0af7651916cd43dd8448eb211c80319c");
        }
        assert_eq!(lines[1]["model"], "Linear");
        assert_eq!(lines[2]["model"], "Other");
    }

    #[test]
    fn a_line_of_a_batch_names_its_requests() {
        let lines = lines(|| {
            let (one, two) = (trace("one"), trace("two"));
            let batch = info_span!(target: "pytriton::request", parent: span_of(Some(&one)), "batch", model = "Linear");
            for trace in [&one, &two] {
                batch.follows_from(span_of(Some(trace)));
            }
            let _batch = batch.entered();
            let _function = info_span!(target: "pytriton::request", "function").entered();
            let _own = info_span!("own").entered();
            tracing::info!("called");
        });
        let line = &lines[0];
        assert_eq!(line["request_ids"], serde_json::json!(["one", "two"]));
        assert_eq!(line["trace_id"], "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(
            (&line["model"], &line["message"]),
            (&"Linear".into(), &"called".into())
        );
    }
}
