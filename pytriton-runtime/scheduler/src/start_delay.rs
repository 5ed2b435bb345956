/// Returns how many requests must wait before a model forms its first batch. Triton's own tests
/// need this. Only builds for these tests (`--cfg pytriton_qa`) read the variable.
pub(super) fn held_until() -> usize {
    #[cfg(pytriton_qa)]
    if let Ok(value) = std::env::var("TRITONSERVER_DELAY_SCHEDULER") {
        return value.parse().unwrap_or_default();
    }
    0
}
