use pytriton_engine::settings::Setting;
use tokio::runtime::Runtime;

use super::chosen_engine::{ChosenEngine, Plan};
use super::embedded::max_bytes_in_flight;
use super::{Options, ServerError, model_line};

/// Returns a table of the options: name, value and origin.
pub(super) fn settings(settings: &[Setting], options: &Options) -> String {
    let mut rows = vec![["OPTION", "VALUE", "FROM"].map(str::to_owned)];
    for setting in settings {
        let values = match setting.values.is_empty() {
            true => vec![without(&setting.name, options).unwrap_or_else(|| "-".to_owned())],
            false => setting.values.clone(),
        };
        let name = format!("--{}", setting.name);
        let rest = values.into_iter();
        rows.extend(rest.map(|value| [name.clone(), value, setting.origin.to_string()]));
    }
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        // A single long path must not widen the whole column.
        cells
            .filter(|width| *width <= MAX_CELL_WIDTH)
            .max()
            .unwrap_or_default()
    };
    let (first, second) = (width(0), width(1));
    let lines = rows
        .iter()
        .map(|[name, value, from]| format!("{name:<first$}  {value:<second$}  {from}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The widest cell that determines the width of a column.
const MAX_CELL_WIDTH: usize = 50;

/// Returns the effective value of an option that has none.
fn without(name: &str, options: &Options) -> Option<String> {
    match name {
        "metrics-address" | "openai-address" | "docs-address" | "vertex-ai-address"
        | "sagemaker-address" => Some(options.http_address.to_string()),
        "max-bytes-in-flight" => max_bytes_in_flight(options).map(|bytes| bytes.to_string()),
        _ => None,
    }
}

/// Performs a complete start, which loads the models and opens the ports, and then stops.
pub(super) fn check(
    runtime: &Runtime,
    plan: &Plan,
    engine: &dyn ChosenEngine,
) -> Result<String, ServerError> {
    let served = plan.registry.served();
    let mut lines: Vec<String> = served
        .iter()
        .map(|model| format!("model {}", model_line(model)))
        .collect();
    lines.extend(engine.check(runtime, plan)?);
    lines.push("all checks passed".to_owned());
    Ok(lines.join("\n"))
}
