use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use rustix::process::{Resource, getrlimit};

use crate::text::excerpt;

use super::{Region, Section, SharedMemoryError};

/// The maximum number of regions. Each uses a file descriptor.
const MAX_REGIONS: u64 = 1024;

/// The maximum length of a region name in bytes.
const LONGEST_NAME: usize = 1024;

/// The kind of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// System memory.
    System,
    /// GPU memory, which cannot be registered.
    Cuda,
}

impl Kind {
    /// Returns the name used in messages.
    pub fn lower(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Cuda => "cuda",
        }
    }
}

/// The regions that clients have registered.
#[derive(Debug)]
pub struct Regions {
    limit: usize,
    registered: RwLock<BTreeMap<String, Arc<Region>>>,
}

impl Default for Regions {
    /// Creates an empty set. Its limit leaves most file descriptors to connections.
    fn default() -> Self {
        let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let limit = usize::try_from((descriptors / 4).clamp(1, MAX_REGIONS));
        Self::new(limit.unwrap_or(1))
    }
}

impl Regions {
    /// Creates an empty set with a limit.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            registered: RwLock::default(),
        }
    }

    /// Registers `byte_size` bytes from `offset` of the shared memory with this key.
    ///
    /// # Errors
    ///
    /// Returns a [`SharedMemoryError`] if the region cannot be registered.
    pub fn register(
        &self,
        name: &str,
        key: &str,
        offset: u64,
        byte_size: u64,
    ) -> Result<(), SharedMemoryError> {
        let mut registered = self.write();
        check_free(&registered, name)?;
        if name.len() > LONGEST_NAME {
            let limit = LONGEST_NAME;
            return Err(SharedMemoryError::Name { limit });
        }
        if registered.len() >= self.limit {
            return Err(SharedMemoryError::Limit {
                name: name.to_owned(),
                limit: self.limit,
            });
        }
        let region = Region::open(name, key, offset, byte_size)?;
        registered.insert(name.to_owned(), Arc::new(region));
        Ok(())
    }

    /// Refuses GPU memory, as Triton does on a machine without a GPU.
    ///
    /// # Errors
    ///
    /// Returns [`SharedMemoryError::Taken`] if the name is registered, or
    /// [`SharedMemoryError::NoGpu`].
    pub fn register_cuda(&self, name: &str) -> Result<(), SharedMemoryError> {
        check_free(&self.read(), name)?;
        Err(SharedMemoryError::NoGpu)
    }

    /// Returns the result of `describe` for one region, or for all regions of a kind in the order
    /// of their names.
    ///
    /// # Errors
    ///
    /// Returns [`SharedMemoryError::NotFound`] or [`SharedMemoryError::OtherKind`].
    pub fn status<T>(
        &self,
        kind: Kind,
        name: Option<&str>,
        describe: impl Fn(&Region) -> T,
    ) -> Result<Vec<T>, SharedMemoryError> {
        let registered = self.read();
        let Some(name) = name else {
            return Ok(match kind {
                Kind::System => registered.values().map(|region| describe(region)).collect(),
                Kind::Cuda => Vec::new(),
            });
        };
        match (registered.get(name), kind) {
            (Some(region), Kind::System) => Ok(vec![describe(region)]),
            (Some(_), Kind::Cuda) => Err(SharedMemoryError::OtherKind {
                name: excerpt(name),
            }),
            (None, kind) => Err(SharedMemoryError::NotFound {
                kind,
                name: excerpt(name),
            }),
        }
    }

    /// Unregisters one region, or all regions of a kind. An unknown region is not an error.
    ///
    /// # Errors
    ///
    /// Returns [`SharedMemoryError::InUse`] or [`SharedMemoryError::SomeInUse`] if requests use
    /// regions, which stay registered.
    pub fn unregister(&self, kind: Kind, name: Option<&str>) -> Result<(), SharedMemoryError> {
        if kind == Kind::Cuda {
            return Ok(());
        }
        let mut registered = self.write();
        match name {
            Some(name) => {
                if registered.get(name).is_some_and(in_use) {
                    let name = excerpt(name);
                    return Err(SharedMemoryError::InUse { name });
                }
                registered.remove(name);
                Ok(())
            }
            None => {
                registered.retain(|_, region| in_use(region));
                match registered.is_empty() {
                    true => Ok(()),
                    false => Err(SharedMemoryError::SomeInUse {
                        names: registered.keys().cloned().collect(),
                    }),
                }
            }
        }
    }

    /// Returns a section of a region: `byte_size` bytes from `offset`.
    ///
    /// # Errors
    ///
    /// Returns [`SharedMemoryError::Unknown`], [`SharedMemoryError::Offset`] or
    /// [`SharedMemoryError::Range`].
    pub fn section(
        &self,
        name: &str,
        offset: u64,
        byte_size: u64,
    ) -> Result<Section, SharedMemoryError> {
        let registered = self.read();
        let region = registered
            .get(name)
            .ok_or_else(|| SharedMemoryError::Unknown {
                name: excerpt(name),
            })?;
        Section::new(region, offset, byte_size)
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<String, Arc<Region>>> {
        self.registered.read()
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<String, Arc<Region>>> {
        self.registered.write()
    }
}

fn check_free(
    registered: &BTreeMap<String, Arc<Region>>,
    name: &str,
) -> Result<(), SharedMemoryError> {
    match registered.contains_key(name) {
        true => Err(SharedMemoryError::Taken {
            name: excerpt(name),
        }),
        false => Ok(()),
    }
}

/// Returns whether a request uses the region. The lock of the table prevents new users.
fn in_use(region: &Arc<Region>) -> bool {
    Arc::strong_count(region) > 1
}
