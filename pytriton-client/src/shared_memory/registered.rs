/// Memory that a server knows, whoever shares it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedMemoryRegion {
    /// As requests name it.
    pub name: String,
    /// The name of its memory on the machine.
    pub key: String,
    /// Where it begins there.
    pub offset: u64,
    /// Its size.
    pub byte_size: u64,
}
