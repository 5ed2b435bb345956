use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::fd::AsRawFd;

use pytriton_tests::{Result, Server};
use rustix::io::Errno;
use rustix::net::{Shutdown, shutdown};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

use crate::process::child;

/// One end of a connection between tritonserver and its worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Socket {
    id: u32,
    descriptor: i32,
    /// The inode number, which is unique on the machine.
    number: String,
}

/// Returns the connected Unix sockets of a server's two processes with a name in its workspace.
pub(crate) fn connections(server: &Server) -> Vec<Socket> {
    let sockets = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    // Address, references, protocol, flags, type, state (3 is connected), number, name.
    let named = sockets.lines().filter_map(|line| {
        let mut fields = line.split_whitespace().skip(5);
        let (state, number, name) = (fields.next()?, fields.next()?, fields.next()?);
        let ours = state == "03" && name.contains("/pytriton/workspaces/");
        ours.then(|| format!("socket:[{number}]"))
    });
    let named: BTreeSet<String> = named.collect();
    let processes = [Some(server.pid()), child(server)].into_iter().flatten();
    let sockets = processes.flat_map(|id| {
        let descriptors = fs::read_dir(format!("/proc/{id}/fd"));
        let descriptors = descriptors.into_iter().flatten().flatten();
        let sockets = descriptors.filter_map(|entry| {
            let target = fs::read_link(entry.path()).ok()?;
            let number = target.to_string_lossy().into_owned();
            let descriptor = entry.file_name().to_str()?.parse().ok()?;
            Some((descriptor, number))
        });
        let sockets = sockets.filter(|(_, number)| named.contains(number));
        // A process may have several descriptors of one socket.
        let sockets = sockets.map(|(descriptor, number): (i32, String)| (number, descriptor));
        let sockets: BTreeMap<String, i32> = sockets.collect();
        let sockets = sockets.into_iter();
        sockets.map(move |(number, descriptor)| Socket {
            id,
            descriptor,
            number,
        })
    });
    sockets.collect()
}

impl Socket {
    /// Shuts down the connection from outside of both processes. A closed connection is ignored.
    pub(crate) fn sever(&self) -> Result<()> {
        let process = pidfd_open(pid(self.id)?, PidfdFlags::empty()).map_err(io::Error::from)?;
        let socket = match pidfd_getfd(process, self.descriptor, PidfdGetfdFlags::empty()) {
            Err(Errno::BADF) => return Ok(()),
            socket => socket.map_err(io::Error::from)?,
        };
        let target = fs::read_link(format!("/proc/self/fd/{}", socket.as_raw_fd()))?;
        if target.to_string_lossy() == self.number {
            shutdown(socket, Shutdown::Both).map_err(io::Error::from)?;
        }
        Ok(())
    }
}

/// Converts a process ID to the type of the system calls.
pub(crate) fn pid(id: u32) -> Result<Pid> {
    let pid = i32::try_from(id).ok().and_then(Pid::from_raw);
    Ok(pid.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?)
}
