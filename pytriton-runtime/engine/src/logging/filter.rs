use tracing::Metadata;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

use crate::trace::TARGET;

/// Returns the filter of log lines: the directives of `RUST_LOG` if there are any, otherwise the
/// verbosity (0 to 2).
pub(super) fn filter(verbose: u8, rust_log: Option<&str>) -> Result<EnvFilter, ParseError> {
    let directives = directives(rust_log);
    directives.map_or_else(|| Ok(by_detail(verbose)), EnvFilter::try_new)
}

/// Returns the directives of `RUST_LOG`, if any.
pub(super) fn directives(rust_log: Option<&str>) -> Option<&str> {
    rust_log.filter(|directives| !directives.trim().is_empty())
}

/// Returns whether the directives filter by span.
pub(super) fn names_spans(rust_log: Option<&str>) -> bool {
    directives(rust_log).is_some_and(|directives| directives.contains('['))
}

/// Returns whether it is a span of a request.
pub(super) fn is_of_request(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && metadata.target() == TARGET
}

pub(super) fn by_detail(verbose: u8) -> EnvFilter {
    // The libraries' own debug lines are useful only when everything is logged. h2's warnings are
    // excluded because a client could produce any number of them.
    EnvFilter::new(match verbose {
        0 => "info,h2=error",
        1 => "debug,h2=info,hyper=info,hyper_util=info,tonic=info,tower=info",
        _ => "trace",
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;
    use tracing::subscriber::with_default;
    use tracing::{Event, Level, Subscriber, event, info_span};
    use tracing_subscriber::Layer;
    use tracing_subscriber::layer::{Context, SubscriberExt};

    use super::*;

    /// The finest level that was written.
    #[derive(Clone, Default)]
    struct Finest(Arc<Mutex<Option<Level>>>);

    impl<S: Subscriber> Layer<S> for Finest {
        fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
            let level = *event.metadata().level();
            let mut finest = self.0.lock();
            *finest = (*finest).max(Some(level));
        }
    }

    macro_rules! every_level {
        ($target:literal) => {{
            event!(target: $target, Level::ERROR, "");
            event!(target: $target, Level::WARN, "");
            event!(target: $target, Level::INFO, "");
            event!(target: $target, Level::DEBUG, "");
            event!(target: $target, Level::TRACE, "");
        }};
    }

    #[test]
    fn rust_log_overrides_the_verbosity() {
        type Row<'a> = (u8, Option<&'a str>, &'a str, Option<Level>);
        let table: &[Row<'_>] = &[
            (0, None, "pytriton", Some(Level::INFO)),
            (0, Some(" "), "pytriton", Some(Level::INFO)),
            (0, None, "h2", Some(Level::ERROR)),
            (1, None, "pytriton", Some(Level::DEBUG)),
            (1, None, "h2", Some(Level::INFO)),
            (2, None, "h2", Some(Level::TRACE)),
            (2, Some("warn"), "pytriton", Some(Level::WARN)),
            (0, Some("warn,h2=trace"), "h2", Some(Level::TRACE)),
            (0, Some("warn,h2=trace"), "pytriton", Some(Level::WARN)),
            (0, Some("h2=debug"), "pytriton", None),
            (0, Some("off"), "pytriton", None),
            (
                0,
                Some("warn,[call{model=Linear}]=debug"),
                "pytriton",
                Some(Level::DEBUG),
            ),
            (
                0,
                Some("warn,[call{model=Other}]=debug"),
                "pytriton",
                Some(Level::WARN),
            ),
        ];
        for &(verbose, rust_log, target, expected) in table {
            let finest = Finest::default();
            let filter = filter(verbose, rust_log).unwrap();
            let subscriber =
                tracing_subscriber::registry().with(finest.clone().with_filter(filter));
            with_default(subscriber, || {
                let _call = info_span!("call", model = "Linear").entered();
                match target {
                    "h2" => every_level!("h2"),
                    _ => every_level!("pytriton"),
                }
            });
            let finest = *finest.0.lock();
            assert_eq!(finest, expected, "{verbose} {rust_log:?} {target}");
        }
        assert!(filter(0, Some("h2=loud")).is_err());
        assert!(names_spans(Some("[call]=debug")) && !names_spans(Some("debug")));
    }
}
