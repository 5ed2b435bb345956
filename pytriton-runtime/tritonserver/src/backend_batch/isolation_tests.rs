//! An invalid request does not affect other requests of a batch that tritonserver has gathered.

use std::sync::Arc;

use futures_util::FutureExt;
use pytriton_backend::arena::place;
use pytriton_backend::protocol::{BatchReader, BatchWriter, Span};
use pytriton_core::call::{Context, Invocation};
use pytriton_core::testing::flaws::{Lengths, bytes, check_results, each_flaw, spec};

use super::BackendBatch;

#[test]
fn an_invalid_element_of_a_stacked_batch_fails_only_its_request() {
    let spec = spec();
    each_flaw(|invalid, flaw, expected| {
        let count = invalid.len();
        let mut description = Vec::new();
        let mut writer = BatchWriter::new(&mut description, 2);
        let mut rows = [Vec::new(), Vec::new()];
        for (index, invalid) in invalid.iter().enumerate() {
            let flaw = invalid.then_some(flaw);
            writer.request("", 0, None);
            writer.count(0);
            writer.count(0);
            writer.count(2);
            for (input, data) in bytes(index, flaw).into_iter().enumerate() {
                writer.input(input, data.len(), &[1, 1]);
                rows[input].extend(data);
            }
        }
        let (mut used, mut data) = (0, Vec::new());
        for (input, rows) in rows.iter().enumerate() {
            let offset = place(&mut used, rows.len()).unwrap();
            data.resize(offset, 0);
            data.extend(rows);
            let len = rows.len();
            writer.span(input, Span { offset, len });
        }
        writer.finish(count);
        let mut reader = BatchReader::default();
        let gathered = BackendBatch::read(&spec, &mut reader, &description, &data.into()).unwrap();
        let instance = Lengths::default();
        let invocation = Invocation {
            instance: &instance,
            context: &Context::new(Arc::clone(&spec), 0),
            steps: &[],
            sink: None,
        };
        let executed = invocation.execute(&gathered.requests, &gathered.stacked);
        let results = executed.now_or_never().unwrap().results.into_iter();
        let results =
            results.map(|result| result.map_err(|error| (error.status(), error.to_string())));
        check_results(&results.collect::<Vec<_>>(), invalid, expected);
        // The requests between invalid ones are at most one call.
        let between = invalid.split(|invalid| *invalid);
        let between = between.filter(|others| !others.is_empty()).count();
        assert!(instance.calls.get() <= between, "{expected}");
    });
}
