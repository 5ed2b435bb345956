use std::fs;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// How long the kernel may make no progress in sending to clients before they count as gone.
const STALL_TIMEOUT: Duration = Duration::from_secs(2);

/// States in the kernel's tables of connections that the process has closed and that are not yet
/// terminated.
const CLOSED: [&str; 3] = ["04", "09", "0B"];

/// Returns the number of bytes that the kernel still has to deliver to clients, over connections
/// that the process has closed. Delivery continues after the process exits, but not after the
/// container stops.
pub fn undelivered(process: u32, endpoints: &[Option<SocketAddr>]) -> u64 {
    let ports: Vec<u16> = endpoints.iter().flatten().map(SocketAddr::port).collect();
    let tables = ["tcp", "tcp6"].iter();
    let tables =
        tables.filter_map(|table| fs::read_to_string(format!("/proc/{process}/net/{table}")).ok());
    tables
        .map(|table| table.lines().map(|line| waiting(line, &ports)).sum::<u64>())
        .sum()
}

/// Tracks the bytes that the kernel still has to deliver.
#[derive(Debug, Default)]
pub struct Delivery {
    last: Option<(u64, Instant)>,
}

impl Delivery {
    /// Returns whether all bytes are delivered, or no client accepts the rest.
    pub fn is_over(&mut self, bytes: impl FnOnce() -> u64, now: Instant) -> bool {
        let bytes = bytes();
        match self.last {
            _ if bytes == 0 => true,
            Some((before, at)) if before == bytes => now >= at + STALL_TIMEOUT,
            _ => {
                self.last = Some((bytes, now));
                false
            }
        }
    }
}

fn waiting(line: &str, ports: &[u16]) -> u64 {
    // Fields: number, local and remote address, state, the two queues. All numbers are hexadecimal.
    let mut fields = line.split_whitespace();
    let (Some(local), Some(state), Some(queues)) = (fields.nth(1), fields.nth(1), fields.next())
    else {
        return 0;
    };
    let port = local.rsplit(':').next().unwrap_or_default();
    let ours = u16::from_str_radix(port, 16).is_ok_and(|port| ports.contains(&port));
    if !ours || !CLOSED.contains(&state) {
        return 0;
    }
    let (sending, _) = queues.split_once(':').unwrap_or_default();
    // The `FIN` counts as a byte.
    let bytes = u64::from_str_radix(sending, 16).unwrap_or_default();
    bytes.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsent_bytes_of_closed_connections_are_counted() {
        let table = [
            ("", 0),
            (
                "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when",
                0,
            ),
            (
                "   1: 0100007F:1F40 0100007F:9C40 04 00000011:00000000 00:00000000",
                16,
            ),
            (
                "   1: 0100007F:1F40 0100007F:9C40 04 00000001:00000000 01:00000014",
                0,
            ),
            (
                "   1: 0100007F:1F40 0100007F:9C40 09 00000100:00000001 00:00000000",
                255,
            ),
            // Another port; an open connection; a listener; a terminated connection.
            (
                "   1: 0100007F:1F41 0100007F:9C40 04 00000010:00000000 01:00000014",
                0,
            ),
            (
                "   1: 0100007F:1F40 0100007F:9C40 01 00000010:00000000 00:00000000",
                0,
            ),
            (
                "   1: 0100007F:1F40 00000000:0000 0A 00000000:00000003 00:00000000",
                0,
            ),
            (
                "   1: 0100007F:1F40 0100007F:9C40 06 00000000:00000000 00:00000000",
                0,
            ),
            (
                "  12: 00000000000000000000000001000000:1F40 00000000000000000000000001000000:9C40 0B 00000003:00000002 00",
                2,
            ),
        ];
        for (line, expected) in table {
            assert_eq!(waiting(line, &[8000, 9000]), expected, "{line}");
        }
    }

    #[test]
    fn delivery_is_awaited_while_there_is_progress() {
        let mut delivery = Delivery::default();
        let begun = Instant::now();
        let soon = begun + STALL_TIMEOUT / 2;
        assert!(!delivery.is_over(|| 10, begun));
        assert!(!delivery.is_over(|| 10, soon));
        assert!(!delivery.is_over(|| 9, soon));
        assert!(!delivery.is_over(|| 9, begun + STALL_TIMEOUT));
        assert!(delivery.is_over(|| 9, soon + STALL_TIMEOUT));
        assert!(delivery.is_over(|| 0, soon + STALL_TIMEOUT));
    }
}
