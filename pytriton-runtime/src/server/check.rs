use crate::model::Registry;

use super::{Options, Server, ServerError, model_line};

/// Does all that a start does, models loaded and ports opened, and stops again.
pub(super) async fn check(registry: &Registry, options: &Options) -> Result<String, ServerError> {
    let server = Server::start(registry, options).await?;
    server.stop(std::time::Duration::ZERO).await;
    let mut lines: Vec<String> = registry
        .iter()
        .map(|model| format!("model {}", model_line(model)))
        .collect();
    lines.push("everything is in order".to_owned());
    Ok(lines.join("\n"))
}
