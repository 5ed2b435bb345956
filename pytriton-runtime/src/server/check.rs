#[cfg(feature = "embedded")]
use std::time::Duration;

use crate::engine::Choice;
use crate::registry::Registry;
use pytriton_engine::settings::Setting;

use super::{Options, ServerError, inspect, model_line};

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
            .filter(|width| *width <= WIDEST)
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
const WIDEST: usize = 50;

/// Returns the effective value of an option that has none.
fn without(name: &str, options: &Options) -> Option<String> {
    match name {
        "metrics-address" | "openai-address" | "docs-address" | "vertex-ai-address"
        | "sagemaker-address" => Some(options.http_address.to_string()),
        #[cfg(feature = "embedded")]
        "max-bytes-in-flight" => Some(options.bounds().max_bytes_in_flight.to_string()),
        _ => None,
    }
}

/// Performs a complete start, which loads the models and opens the ports, and then stops.
pub(super) async fn check(
    registry: &Registry,
    options: &Options,
    choice: Choice,
) -> Result<String, ServerError> {
    let served = registry.served();
    let mut lines: Vec<String> = served
        .iter()
        .map(|model| format!("model {}", model_line(model)))
        .collect();
    match choice {
        #[cfg(feature = "embedded")]
        Choice::Embedded(why) => {
            lines.push(format!("engine embedded: {why}"));
            lines.extend(inspect::report(options.triton.tritonserver.clone())?);
            let server = super::Server::start(registry, options).await?;
            server.stop(Duration::ZERO).await;
        }
        #[cfg(tritonserver)]
        Choice::Tritonserver(located, probe) => {
            lines.push("engine tritonserver".to_owned());
            lines.extend(inspect::description(&located, &probe)?);
            let engine = super::tritonserver::start(registry, options, &located, probe).await?;
            let (sidecar, _) =
                super::tritonserver::start_sidecar(registry, options, &engine).await?;
            super::tritonserver::stop(engine, sidecar, options.exit_timeout_secs).await;
        }
    }
    lines.push("all checks passed".to_owned());
    Ok(lines.join("\n"))
}
