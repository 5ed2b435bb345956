use std::fmt::Display;

use pytriton_core::model::ModelSpec;
use pytriton_core::statistics::{Counter, ModelTotals};

use super::family::Family;

/// A gauge of a model: its name, its description and its value.
type Gauge = (
    &'static str,
    &'static str,
    fn(&ModelSpec, &ModelTotals) -> f64,
);

/// The gauges beyond those of Triton.
const GAUGES: &[Gauge] = &[
    (
        "pytriton_requests_running",
        "Number of requests that are being executed",
        |_, totals| totals.running as f64,
    ),
    (
        "pytriton_instances",
        "Number of instances of the model",
        |spec, _| f64::from(spec.instances.count()),
    ),
];

/// A gauge of the whole server: its name, its description and the value that each model adds.
type ServerGauge = (&'static str, &'static str, fn(&ModelTotals) -> u64);

/// The sums of all models, without labels: endpoint pickers read one sample of a metric.
const SERVER_GAUGES: &[ServerGauge] = &[
    (
        "pytriton_server_requests_queued",
        "Number of requests that wait for their execution, over all models",
        |totals| totals.pending,
    ),
    (
        "pytriton_server_requests_running",
        "Number of requests that are being executed, over all models",
        |totals| totals.running,
    ),
];

/// The metrics of models beyond those of Triton: the gauges, and every [`Counter`].
pub fn load_exposition(models: &[(&ModelSpec, ModelTotals)]) -> String {
    let mut text = String::new();
    for &(name, help, value) in SERVER_GAUGES {
        let sum: u64 = models.iter().map(|(_, totals)| value(totals)).sum();
        Family::gauge(&mut text, name, help).sample(&[], &sum);
    }
    for &(name, help, value) in GAUGES {
        write(Family::gauge(&mut text, name, help), models, value);
    }
    for &counter in Counter::ALL {
        let family = Family::counter(&mut text, counter.metric(), counter.help());
        write(family, models, |_, totals| totals.counters.metric(counter));
    }
    text
}

/// The number of spans that were not exported.
pub fn spans_exposition(dropped: u64) -> String {
    let mut text = String::new();
    let (name, help) = (
        "pytriton_spans_dropped_total",
        "Number of spans that were not exported, because the queue was full or the collector did not accept them",
    );
    Family::counter(&mut text, name, help).sample(&[], &dropped);
    text
}

fn write(
    mut family: Family<'_>,
    models: &[(&ModelSpec, ModelTotals)],
    value: impl Fn(&ModelSpec, &ModelTotals) -> f64,
) {
    for (spec, totals) in models {
        let labels: [(&str, &dyn Display); 2] = [("model", &spec.name), ("version", &spec.version)];
        family.sample(&labels, &value(spec, totals));
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::statistics::CounterValues;

    use crate::testing::{IDENTITY, check_table};

    use super::*;

    #[test]
    fn gauges_and_counters_are_reported() {
        let spec = IDENTITY.spec().unwrap();
        let mut counters = CounterValues::default();
        counters.add(Counter::Busy, 2_500_000_000);
        let totals = ModelTotals {
            running: 3,
            counters,
            ..ModelTotals::default()
        };
        let text = load_exposition(&[(&spec, totals)]);
        let samples: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let last = [
            r#"pytriton_requests_running{model="Identity",version="1"} 3"#,
            r#"pytriton_instances{model="Identity",version="1"} 1"#,
            r#"pytriton_instance_busy_seconds_total{model="Identity",version="1"} 2.5"#,
        ];
        assert!(samples.ends_with(&last), "{text}");
        assert_eq!(
            samples.len(),
            SERVER_GAUGES.len() + GAUGES.len() + Counter::ALL.len()
        );
    }

    #[test]
    fn server_gauges_are_sums_without_labels() {
        let spec = IDENTITY.spec().unwrap();
        let totals = |pending, running| {
            let totals = ModelTotals {
                pending,
                running,
                ..ModelTotals::default()
            };
            (&spec, totals)
        };
        for (models, queued, running) in [
            (vec![], 0, 0),
            (vec![totals(0, 2)], 0, 2),
            (vec![totals(5, 1), totals(2, 0)], 7, 1),
            (vec![totals(1, 1), totals(0, 0), totals(1, 3)], 2, 4),
        ] {
            let text = load_exposition(&models);
            let of_server = |line: &&str| line.starts_with("pytriton_server_");
            let samples: Vec<_> = text.lines().filter(of_server).collect();
            let expected = [
                format!("pytriton_server_requests_queued {queued}"),
                format!("pytriton_server_requests_running {running}"),
            ];
            assert_eq!(samples, expected);
        }
    }

    #[test]
    fn the_documentation_of_monitoring_has_these_metrics() {
        let text = load_exposition(&[]);
        check_table("| Observation |", |rows| {
            for line in text.lines().filter_map(|line| line.strip_prefix("# HELP ")) {
                let (name, help) = line.split_once(' ').unwrap();
                // A cell may be an expression.
                let separates = |other: char| !other.is_ascii_alphanumeric() && other != '_';
                let names = |cell: &str| cell.split(separates).any(|word| word == name);
                if !rows.iter().any(|row| names(&row[0])) {
                    rows.push(vec![format!("`{name}`"), help.to_owned(), String::new()]);
                }
            }
        });
    }
}
