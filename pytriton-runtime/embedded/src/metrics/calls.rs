use pytriton_core::statistics::CallStatistics;

use super::family::Family;

/// The calls between models. Empty if there were none.
pub fn calls_exposition(calls: &[CallStatistics]) -> String {
    let mut text = String::new();
    if calls.is_empty() {
        return text;
    }
    let (name, help) = (
        "pytriton_model_calls_total",
        "Number of calls of a model by another model, or by the program if the caller is empty",
    );
    let mut family = Family::counter(&mut text, name, help);
    for call in calls {
        for (result, count) in [("success", call.succeeded), ("failure", call.failed)] {
            family.sample(
                &[
                    ("caller", &call.caller),
                    ("model", &call.callee),
                    ("result", &result),
                ],
                &count,
            );
        }
    }
    let (name, help) = (
        "pytriton_model_call_seconds_total",
        "Total duration of the calls of a model by another model, including the time in the queue",
    );
    let mut family = Family::counter(&mut text, name, help);
    for call in calls {
        let labels = [("caller", &call.caller as _), ("model", &call.callee as _)];
        family.sample(&labels, &call.duration.as_secs_f64());
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn calls_are_reported_by_caller_and_model() {
        assert_eq!(calls_exposition(&[]), "");
        let call = |caller: &str, succeeded, failed| CallStatistics {
            caller: caller.into(),
            callee: "B".into(),
            succeeded,
            failed,
            duration: Duration::from_millis(1500),
        };
        let text = calls_exposition(&[call("", 0, 1), call("A", 2, 0)]);
        let samples = text.lines().filter(|line| !line.starts_with('#'));
        let samples: Vec<_> = samples.collect();
        let expected = [
            r#"pytriton_model_calls_total{caller="",model="B",result="success"} 0"#,
            r#"pytriton_model_calls_total{caller="",model="B",result="failure"} 1"#,
            r#"pytriton_model_calls_total{caller="A",model="B",result="success"} 2"#,
            r#"pytriton_model_calls_total{caller="A",model="B",result="failure"} 0"#,
            r#"pytriton_model_call_seconds_total{caller="",model="B"} 1.5"#,
            r#"pytriton_model_call_seconds_total{caller="A",model="B"} 1.5"#,
        ];
        assert_eq!(samples, expected);
    }
}
