/// The free ranges of an arena, sorted and not adjacent.
#[derive(Debug)]
pub struct FreeList {
    /// Offset and length of each range.
    holes: Vec<(usize, usize)>,
    capacity: usize,
    live: usize,
}

impl FreeList {
    /// Creates a list of `capacity` free bytes.
    pub fn new(capacity: usize) -> Self {
        Self {
            holes: vec![(0, capacity)],
            capacity,
            live: 0,
        }
    }

    /// Allocates `len` bytes at the lowest possible offset, and returns the offset.
    pub fn take(&mut self, len: usize) -> Option<usize> {
        let index = self.holes.iter().position(|&(_, free)| free >= len)?;
        let (offset, free) = &mut self.holes[index];
        let taken = *offset;
        *offset += len;
        *free -= len;
        if *free == 0 {
            self.holes.remove(index);
        }
        self.live += len;
        Some(taken)
    }

    /// Frees an allocation.
    pub fn release(&mut self, offset: usize, len: usize) {
        let index = self.holes.partition_point(|&(hole, _)| hole < offset);
        self.live -= len;
        let joins_next = self
            .holes
            .get(index)
            .is_some_and(|&(next, _)| offset + len == next);
        let before = index
            .checked_sub(1)
            .and_then(|before| self.holes.get_mut(before));
        match before {
            Some((hole, free)) if *hole + *free == offset => {
                *free += len;
                if joins_next {
                    let (_, next) = self.holes.remove(index);
                    self.holes[index - 1].1 += next;
                }
            }
            _ if joins_next => {
                let (hole, free) = &mut self.holes[index];
                *hole = offset;
                *free += len;
            }
            _ => self.holes.insert(index, (offset, len)),
        }
    }

    /// Returns the total number of bytes.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the number of allocated bytes.
    pub fn live(&self) -> usize {
        self.live
    }

    /// Returns the end of the last allocation.
    pub fn end(&self) -> usize {
        match self.holes.last() {
            Some(&(offset, len)) if offset + len == self.capacity => offset,
            _ => self.capacity,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn adjacent_free_ranges_are_merged() {
        for order in [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ] {
            let mut list = FreeList::new(40);
            let taken = [10, 10, 10].map(|len| list.take(len).unwrap());
            assert_eq!((taken, list.end(), list.live()), ([0, 10, 20], 30, 30));
            assert_eq!(list.take(11), None);
            for index in order {
                list.release(taken[index], 10);
            }
            assert_eq!(list.holes, [(0, 40)]);
            assert_eq!((list.end(), list.live()), (0, 0));
        }
    }

    proptest! {
        #[test]
        fn allocated_ranges_never_overlap(steps in prop::collection::vec((any::<bool>(), 1_usize..40), 1..200)) {
            let mut list = FreeList::new(256);
            let mut taken: Vec<(usize, usize)> = Vec::new();
            for (take, number) in steps {
                if take {
                    if let Some(offset) = list.take(number) {
                        prop_assert!(offset + number <= 256);
                        for &(other, len) in &taken {
                            prop_assert!(offset + number <= other || other + len <= offset);
                        }
                        taken.push((offset, number));
                    }
                } else if !taken.is_empty() {
                    let (offset, len) = taken.swap_remove(number % taken.len());
                    list.release(offset, len);
                }
                let live: usize = taken.iter().map(|(_, len)| len).sum();
                prop_assert_eq!(list.live(), live);
                let end = taken.iter().map(|(offset, len)| offset + len).max();
                prop_assert_eq!(list.end(), end.unwrap_or(0));
            }
        }
    }
}
