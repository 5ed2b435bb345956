use std::time::Duration;

use crate::engine::Choice;
use crate::registry::Registry;

use super::{Options, ServerError, inspect, model_line};

/// Does all that a start does, models loaded and ports opened, and stops again.
pub(super) async fn check(
    registry: &Registry,
    options: &Options,
    choice: Choice,
) -> Result<String, ServerError> {
    let mut lines: Vec<String> = registry
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
            super::tritonserver::start(registry, options, &located, probe)
                .await?
                .stop(Duration::from_secs(options.exit_timeout_secs))
                .await;
        }
    }
    lines.push("everything is in order".to_owned());
    Ok(lines.join("\n"))
}
