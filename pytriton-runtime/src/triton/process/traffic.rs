use std::fs;
use std::net::SocketAddr;

/// States of a connection in the kernel's tables: open, and closed by the client for what it sends.
const ESTABLISHED: &str = "01";
const CLOSE_WAIT: &str = "08";

/// An empty queue.
const EMPTY: &str = "00000000";

/// Whether bytes are on their way over a connection to one of a process's endpoints: not yet read by the process, or not
/// yet by the client.
pub fn traffic(process: u32, endpoints: &[Option<SocketAddr>]) -> bool {
    let ports: Vec<u16> = endpoints.iter().flatten().map(SocketAddr::port).collect();
    ["tcp", "tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(format!("/proc/{process}/net/{table}")).ok())
        .any(|table| table.lines().any(|line| busy(line, &ports)))
}

fn busy(line: &str, ports: &[u16]) -> bool {
    // Number, local and remote address, state, the two queues; all numbers are hexadecimal.
    let mut fields = line.split_whitespace();
    let (Some(local), Some(state), Some(queues)) = (fields.nth(1), fields.nth(1), fields.next())
    else {
        return false;
    };
    let port = local.rsplit(':').next().unwrap_or_default();
    let ours = u16::from_str_radix(port, 16).is_ok_and(|port| ports.contains(&port));
    let (sending, receiving) = queues.split_once(':').unwrap_or((EMPTY, EMPTY));
    let waiting = match state {
        ESTABLISHED => sending != EMPTY || receiving != EMPTY,
        CLOSE_WAIT => sending != EMPTY,
        _ => false,
    };
    ours && waiting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_queues_of_our_connections() {
        let table = [
            ("", false),
            (
                "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when",
                false,
            ),
            (
                "   1: 0100007F:1F40 0100007F:9C40 01 00000000:00000000 00:00000000",
                false,
            ),
            (
                "   1: 0100007F:1F40 0100007F:9C40 01 00000010:00000000 01:00000014",
                true,
            ),
            (
                "   1: 0100007F:1F40 0100007F:9C40 01 00000000:00000001 00:00000000",
                true,
            ),
            // Another port; one that listens; one whose client has closed it, without and with an answer on its way.
            (
                "   1: 0100007F:1F41 0100007F:9C40 01 00000010:00000000 01:00000014",
                false,
            ),
            (
                "   1: 0100007F:1F40 00000000:0000 0A 00000000:00000003 00:00000000",
                false,
            ),
            (
                "   1: 0100007F:1F40 0100007F:9C40 08 00000000:00000001 00:00000000",
                false,
            ),
            (
                "   1: 0100007F:1F40 0100007F:9C40 08 00000020:00000001 00:00000000",
                true,
            ),
            (
                "  12: 00000000000000000000000001000000:1F40 00000000000000000000000001000000:9C40 01 00000000:00000002 00",
                true,
            ),
        ];
        for (line, expected) in table {
            assert_eq!(busy(line, &[8000, 9000]), expected, "{line}");
        }
    }
}
