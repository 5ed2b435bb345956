/// A shared-memory region that is registered at a server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedMemoryRegion {
    /// The name in requests.
    pub name: String,
    /// The name of the memory on the machine.
    pub key: String,
    /// The offset in the memory.
    pub offset: u64,
    /// The size in bytes.
    pub byte_size: u64,
}
