use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use pytriton_engine::trace::{Attribute, FinishedSpan};

use super::record::{Event, Finished};

/// Returns the spans of a trace, parents before children. The first is the span of the incoming
/// request, the second that of its model, which contains the computations.
///
/// Source: `TraceManager::Trace::AddEvent` and `StartSpan` in Triton 2.51.
pub(super) fn spans(finished: &Finished) -> Vec<FinishedSpan> {
    let (ns, wall) = finished.moment;
    let mut tree = Tree {
        moment: (ns, wall),
        spans: Vec::new(),
        open: Vec::new(),
    };
    let mut described = None;
    let first = finished.events.iter().find_map(|event| match event {
        Event::Timestamp { ns, .. } => Some(*ns),
        _ => None,
    });
    tree.begin("InferRequest".into(), first.unwrap_or(ns), Vec::new());
    for event in &finished.events {
        match event {
            Event::Request { model, version, id } => described = Some((model, *version, id)),
            Event::Timestamp { name, ns } => {
                match (*name, described) {
                    ("REQUEST_START", Some((model, version, id))) => {
                        let attributes = attributes(model, version, id, finished.id);
                        tree.begin(model.to_string().into(), *ns, attributes);
                    }
                    ("COMPUTE_START", _) => tree.begin("compute".into(), *ns, Vec::new()),
                    _ => {}
                }
                tree.note(name, *ns);
                if matches!(*name, "REQUEST_END" | "COMPUTE_END") {
                    tree.end(*ns);
                }
            }
            Event::Tensor { .. } => {}
        }
    }
    tree.finish(finished.ns)
}

fn attributes(model: &str, version: u32, id: &str, trace: u64) -> Vec<(&'static str, Attribute)> {
    let number = |number: u64| Attribute::Number(i64::try_from(number).unwrap_or(i64::MAX));
    let mut attributes = vec![
        ("triton.model_name", Attribute::Text(model.to_owned())),
        ("triton.model_version", number(version.into())),
        ("triton.trace_id", number(trace)),
        ("triton.trace_parent_id", number(0)),
    ];
    if !id.is_empty() {
        attributes.push(("triton.request_id", Attribute::Text(id.to_owned())));
    }
    attributes
}

struct Tree {
    /// A time of the event clock, and the same as wall-clock time.
    moment: (u64, SystemTime),
    spans: Vec<FinishedSpan>,
    /// The open spans, each the parent of the next.
    open: Vec<usize>,
}

impl Tree {
    fn begin(
        &mut self,
        name: Cow<'static, str>,
        ns: u64,
        attributes: Vec<(&'static str, Attribute)>,
    ) {
        let begun = self.time(ns);
        let parent = self.open.last().copied();
        self.open.push(self.spans.len());
        self.spans.push(FinishedSpan {
            name,
            parent,
            begun,
            ended: begun,
            attributes,
            events: Vec::new(),
        });
    }

    /// Records an event of the model or of the incoming request.
    fn note(&mut self, name: &'static str, ns: u64) {
        let when = self.time(ns);
        let is_outside = name.starts_with("HTTP_") || name.starts_with("GRPC_");
        let index = match is_outside || name == "INFER_RESPONSE_COMPLETE" {
            true => Some(0),
            false => self.open.last().copied(),
        };
        if let Some(span) = index.and_then(|index| self.spans.get_mut(index)) {
            span.events.push((name, when));
        }
    }

    /// Ends the innermost open span, but never the first.
    fn end(&mut self, ns: u64) {
        if self.open.len() > 1 {
            self.close(ns);
        }
    }

    fn close(&mut self, ns: u64) {
        let ended = self.time(ns);
        if let Some(span) = self.open.pop().and_then(|index| self.spans.get_mut(index)) {
            span.ended = ended;
        }
    }

    fn finish(mut self, ns: u64) -> Vec<FinishedSpan> {
        while !self.open.is_empty() {
            self.close(ns);
        }
        self.spans
    }

    fn time(&self, ns: u64) -> SystemTime {
        let (moment, wall) = self.moment;
        match ns.checked_sub(moment) {
            Some(after) => wall + Duration::from_nanos(after),
            None => wall - Duration::from_nanos(moment - ns),
        }
    }
}
