use tracing_subscriber::filter::{LevelFilter, ParseError, Targets};

/// Which lines are written: as the directives of `RUST_LOG` say where there are some, otherwise in that detail (0 to 2).
pub(super) fn filter(verbose: u8, rust_log: Option<&str>) -> Result<Targets, ParseError> {
    let directives = rust_log.filter(|directives| !directives.trim().is_empty());
    directives.map_or_else(|| Ok(by_detail(verbose)), str::parse)
}

pub(super) fn by_detail(verbose: u8) -> Targets {
    let level = match verbose {
        0 => LevelFilter::INFO,
        1 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let targets = Targets::new().with_default(level);
    // The libraries below are of use to nobody at their own debug level unless everything is asked for.
    match verbose {
        0 | 1 => targets.with_targets(
            ["h2", "hyper", "hyper_util", "tonic", "tower"].map(|name| (name, LevelFilter::INFO)),
        ),
        _ => targets,
    }
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn rust_log_says_more_than_the_detail() {
        type Row<'a> = (u8, Option<&'a str>, &'a str, Option<Level>);
        let table: &[Row<'_>] = &[
            (0, None, "pytriton", Some(Level::INFO)),
            (0, Some(" "), "pytriton", Some(Level::INFO)),
            (1, None, "pytriton", Some(Level::DEBUG)),
            (1, None, "h2", Some(Level::INFO)),
            (2, None, "h2", Some(Level::TRACE)),
            (2, Some("warn"), "pytriton", Some(Level::WARN)),
            (0, Some("warn,h2=trace"), "h2", Some(Level::TRACE)),
            (0, Some("warn,h2=trace"), "pytriton", Some(Level::WARN)),
            (0, Some("h2=debug"), "pytriton", None),
            (0, Some("off"), "pytriton", None),
        ];
        for &(verbose, rust_log, target, expected) in table {
            let targets = filter(verbose, rust_log).unwrap();
            let levels = [
                Level::TRACE,
                Level::DEBUG,
                Level::INFO,
                Level::WARN,
                Level::ERROR,
            ];
            let finest = levels
                .into_iter()
                .find(|level| targets.would_enable(target, level));
            assert_eq!(finest, expected, "{verbose} {rust_log:?} {target}");
        }
        assert!(filter(0, Some("h2=loud")).is_err());
    }
}
