use std::mem::replace;
use std::path::PathBuf;

use pytriton_engine::trace::Recorder;

use super::file::TraceFile;
use super::record::Finished;
use super::records::records;
use super::spans::spans;
use super::writer::Place;
use super::{Destination, TraceConfigError};

/// Writes traces to their destination.
#[derive(Debug)]
pub(super) enum Output {
    File {
        file: TraceFile,
        /// Whether a failure has been logged.
        failed: bool,
    },
    Collector(Recorder),
}

impl Output {
    /// Opens the output of a destination, if there is one.
    pub(super) fn new(destination: &Destination) -> Result<Option<Self>, TraceConfigError> {
        Ok(match destination {
            Destination::File(path) if path.is_empty() => None,
            Destination::File(path) => Some(Self::File {
                file: TraceFile::new(PathBuf::from(path)),
                failed: false,
            }),
            Destination::Collector(collector) => Some(Self::Collector(collector.start()?)),
        })
    }

    pub(super) fn trace(&mut self, finished: &Finished) {
        match self {
            Self::Collector(recorder) => recorder.record(spans(finished), finished.client.as_ref()),
            Self::File { .. } => {
                let records = records(finished.id, &finished.events);
                if let Some((records, place)) = finished.sampler.collect(&records) {
                    self.rest(&records, place);
                }
            }
        }
    }

    /// Writes complete records.
    pub(super) fn rest(&mut self, records: &str, place: Place) {
        if let Self::File { file, failed } = self
            && let Err(error) = file.write(records, place)
            && !replace(failed, true)
        {
            tracing::error!("cannot write traces: {error}");
        }
    }

    /// Sends all queued spans.
    pub(super) fn flush(&self) {
        if let Self::Collector(recorder) = self {
            recorder.flush();
        }
    }
}
