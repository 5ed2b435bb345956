use std::collections::HashSet;
use std::fs;

use super::stat::ProcessStat;

/// Returns whether a process, or another process of its group, listens on a port.
///
/// Returns `None` if the descriptors of a running process cannot be read. A process that has ended
/// listens on nothing.
pub(super) fn listens(leader: u32, port: u16) -> Option<bool> {
    let mut sockets = HashSet::new();
    for table in ["tcp", "tcp6"] {
        let table = fs::read_to_string(format!("/proc/{leader}/net/{table}")).unwrap_or_default();
        sockets.extend(table.lines().filter_map(|line| listening(line, port)));
    }
    match has_one(leader, &sockets) {
        Some(true) => return Some(true),
        None if is_running(leader) => return None,
        Some(false) | None => {}
    }
    // The leader may be a wrapper that started the server.
    let mut others = members(leader);
    Some(others.any(|other| has_one(other, &sockets) == Some(true)))
}

/// Returns whether a process has one of these sockets open, or `None` if its descriptors cannot be
/// read.
fn has_one(process: u32, sockets: &HashSet<String>) -> Option<bool> {
    let entries = fs::read_dir(format!("/proc/{process}/fd")).ok()?;
    let mut targets = entries
        .flatten()
        .filter_map(|entry| fs::read_link(entry.path()).ok());
    Some(targets.any(|target| {
        target
            .to_str()
            .is_some_and(|target| sockets.contains(target))
    }))
}

/// Returns whether a process exists and has not ended.
fn is_running(process: u32) -> bool {
    ProcessStat::of(process).is_some_and(ProcessStat::is_running)
}

/// Returns the processes of a group.
fn members(leader: u32) -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(move |id| ProcessStat::of(*id).is_some_and(|stat| stat.group == leader))
}

/// Returns the socket of a line of the kernel's table if it listens on the port.
fn listening(line: &str, port: u16) -> Option<String> {
    // Fields: number, local and remote address, state (0A is listening), queues, timer,
    // retransmissions, user, timeout, inode.
    let mut fields = line.split_whitespace();
    let local = fields.nth(1)?.rsplit(':').next()?;
    let state = fields.nth(1)?;
    let inode = fields.nth(5)?;
    let listens = state == "0A" && u16::from_str_radix(local, 16) == Ok(port);
    listens.then(|| format!("socket:[{inode}]"))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::process;

    use super::*;

    #[test]
    fn owner_of_a_port_is_detected() {
        for address in ["127.0.0.1:0", "[::]:0"] {
            let Ok(listener) = TcpListener::bind(address) else {
                continue;
            };
            let port = listener.local_addr().unwrap().port();
            assert_eq!(listens(process::id(), port), Some(true), "{address}");
            drop(listener);
            assert_eq!(listens(process::id(), port), Some(false), "{address}");
        }
    }

    #[test]
    fn ended_process_has_no_listener() {
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = other.local_addr().unwrap().port();
        let mut child = process::Command::new("true").spawn().unwrap();
        let id = child.id();
        while is_running(id) {
            std::thread::yield_now();
        }
        assert_eq!(listens(id, port), Some(false), "a zombie");
        child.wait().unwrap();
        assert_eq!(listens(id, port), Some(false), "a process that was reaped");
    }

    #[test]
    fn tcp_table_of_the_kernel_is_parsed() {
        let line = |state| {
            format!(
                "   1: 0100007F:1F40 00000000:0000 {state} 00000000:00000000 00:00000000 00000000 1000 0 4711 1 x"
            )
        };
        assert_eq!(
            listening(&line("0A"), 8000).as_deref(),
            Some("socket:[4711]")
        );
        assert_eq!(listening(&line("0A"), 8001), None);
        assert_eq!(listening(&line("01"), 8000), None);
        assert_eq!(listening("  sl  local_address", 8000), None);
    }
}
