/// The signal of which a line of tritonserver's log says that the server is about to end by it.
///
/// It says so in a handler that goes on to write down where it was, for which it takes memory: where the signal came while a thread
/// had the allocator's lock, the handler waits for ever, and the server neither ends nor answers.
pub(super) fn crash(line: &str) -> Option<u32> {
    let signal = line.strip_prefix("Signal (")?.strip_suffix(") received.")?;
    let signal = signal.parse().ok()?;
    // Those that it does not live through: abort and segmentation fault.
    [6, 11].contains(&signal).then_some(signal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ends_a_server_is_a_crash() {
        let table = [
            ("Signal (11) received.", Some(11)),
            ("Signal (6) received.", Some(6)),
            ("Signal (15) received.", None),
            ("Signal (2) received.", None),
            ("Signal (x) received.", None),
            ("a model says: Signal (11) received.", None),
        ];
        for (line, expected) in table {
            assert_eq!(crash(line), expected, "{line}");
        }
    }
}
