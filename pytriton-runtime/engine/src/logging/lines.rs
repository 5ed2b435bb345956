use std::fmt;

use serde_json::{Map, Value};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Json, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use crate::trace::{LogContext, current};

/// Formats lines of JSON, and adds the requests they are about.
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
        let Some(about) = current() else {
            return self.0.format_event(context, writer, event);
        };
        let mut line = String::new();
        self.0
            .format_event(context, Writer::new(&mut line), event)?;
        let mut members = members(&about);
        // The fields of the line take precedence.
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

/// Returns the members to add. A single request is a string, several are a list.
fn members(about: &LogContext) -> Map<String, Value> {
    let traces: Vec<_> = about.traces.iter().map(|id| format!("{id:032x}")).collect();
    let mut members = Map::new();
    let mut insert = |one: &str, many: &str, ids: &[String]| match ids {
        [] => {}
        [id] => drop(members.insert(one.to_owned(), id.as_str().into())),
        ids => drop(members.insert(many.to_owned(), ids.into())),
    };
    insert("request_id", "request_ids", &about.requests);
    insert("trace_id", "trace_ids", &traces);
    members.insert("model".to_owned(), Value::from(&*about.model));
    members
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pytriton_core::model::ModelSpec;
    use pytriton_core::registry::{ModelDeclaration, ModelOptions};
    use pytriton_core::request::{Request, batch_scope, function_scope};
    use pytriton_core::testing::{IDENTITY, infer_request};
    use tracing::info_span;
    use tracing::subscriber::with_default;

    use crate::logging::captured_output::CapturedOutput;
    use crate::trace::{self, Trace, TraceContext, identified, scope_of};

    use super::*;

    fn lines(write: impl FnOnce()) -> Vec<Value> {
        trace::enable_log_context();
        let log = CapturedOutput::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .json()
            .flatten_event(true)
            .map_event_format(RequestLines)
            .with_writer(move || writer.clone())
            .finish();
        with_default(subscriber, write);
        let log = log.text();
        let lines = log.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().unwrap()
    }

    fn spec() -> Arc<ModelSpec> {
        let declaration = ModelDeclaration {
            options: ModelOptions {
                name: "Linear",
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        Arc::new(declaration.spec().unwrap())
    }

    fn request(id: &str) -> Request {
        let context = || {
            let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
            TraceContext::read([parent].into_iter(), || [].into_iter())
        };
        let spec = spec();
        let mut request = infer_request(1, 1.0);
        request.trace = identified(Trace::begin(&spec, context), id);
        Request::check(&spec, request).unwrap()
    }

    #[test]
    fn log_line_contains_its_request() {
        let lines = lines(|| {
            tracing::info!("before");
            let forged = "x\",\"level\":\"ERROR\n".to_owned() + &"y".repeat(9000);
            let scope = scope_of(request(&forged).trace());
            let within = scope.enter();
            tracing::info!("within");
            let instance = info_span!(parent: None, "model", name = "Linear");
            tracing::info!(parent: &instance, model = "Other", "of an instance");
            drop(within);
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
    fn log_line_of_a_batch_contains_its_requests() {
        let lines = lines(|| {
            let requests = [request("one"), request("two")];
            let outside = scope_of(requests[0].trace());
            let _outside = outside.enter();
            let batch = batch_scope(&spec(), &requests);
            let within = batch.enter();
            let function = function_scope(&spec(), 0, &requests);
            let _function = function.enter();
            let _own = info_span!("own").entered();
            tracing::info!("called");
            drop(within);
            tracing::info!("answered");
        });
        let line = &lines[0];
        assert_eq!(line["request_ids"], serde_json::json!(["one", "two"]));
        assert_eq!(line["trace_id"], "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(
            (&line["model"], &line["message"]),
            (&"Linear".into(), &"called".into())
        );
        assert_eq!(lines[1]["request_id"], "one");
    }
}
