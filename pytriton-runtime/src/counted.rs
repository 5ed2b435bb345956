use std::sync::Arc;

use bytes::Bytes;

use crate::memory_budget::MemoryPermit;

/// So few bytes are not worth a count of their own.
const SHARED: usize = 4 << 10;

/// Bytes that count as held as long as anybody has some of them.
pub(crate) fn counted(bytes: Bytes, held: Option<&Arc<MemoryPermit>>) -> Bytes {
    match held {
        Some(held) if bytes.len() >= SHARED => Bytes::from_owner(Counted {
            bytes,
            _held: Arc::clone(held),
        }),
        _ => bytes,
    }
}

struct Counted {
    bytes: Bytes,
    _held: Arc<MemoryPermit>,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use crate::memory_budget::MemoryBudget;

    use super::*;

    const KIB: usize = 1 << 10;

    #[test]
    fn bytes_count_until_the_last_of_them_is_gone() {
        let budget = MemoryBudget::new(100 * KIB);
        let held = budget.reserve(8 * KIB).unwrap();
        let bytes = counted(Bytes::from(vec![7; 8 * KIB]), held.as_ref());
        drop(held);
        let some = bytes.slice(KIB..2 * KIB);
        drop(bytes);
        assert_eq!((some[0], budget.reserved()), (7, 8 * KIB));
        drop(some);
        assert_eq!(budget.reserved(), 0);
    }
}
