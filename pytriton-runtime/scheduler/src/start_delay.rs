/// Returns how many requests must wait before a model forms its first batch. Triton's own tests
/// need this. Only builds for these tests (`--cfg pytriton_qa`) read the variable.
pub(super) fn held_until() -> usize {
    let value = cfg!(pytriton_qa).then(|| std::env::var("TRITONSERVER_DELAY_SCHEDULER").ok());
    let number = value.flatten().and_then(|value| value.parse().ok());
    number.unwrap_or_default()
}
