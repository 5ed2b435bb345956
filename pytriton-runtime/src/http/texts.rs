use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

/// While no more bytes of texts are held by those who have not read them, everybody gets one of their own.
const FREE: usize = 4 << 20;

/// For each of so many more the newest is handed out for somewhat longer, so that ever fewer are made.
const STEP: usize = 1 << 20;
const LONGER: Duration = Duration::from_millis(100);

/// Texts that are made when they are asked for, however many ask and do not read them.
///
/// They are not refused, as what is counted in the [`MemoryBudget`](crate::memory_budget::MemoryBudget) would be: whoever looks what a server
/// does looks when it is full.
#[derive(Debug, Default)]
pub(super) struct Texts {
    newest: Mutex<Newest>,
    held: Arc<AtomicUsize>,
}

/// The text that was made last, as long as somebody has it, and when that began.
type Newest = Option<(Instant, Weak<Text>)>;

/// A text that somebody has.
#[derive(Debug)]
struct Text {
    text: String,
    held: Arc<AtomicUsize>,
}

/// The same for one of those who have it.
#[derive(Debug)]
struct Share(Arc<Text>);

impl Texts {
    /// A text as this makes it, now or a moment ago.
    pub(super) fn text(&self, make: impl FnOnce() -> String) -> Bytes {
        let begun = Instant::now();
        if let Some(text) = self.newest(begun) {
            return Bytes::from_owner(Share(text));
        }
        let text = make();
        self.held.fetch_add(text.len(), Ordering::Relaxed);
        let text = Arc::new(Text {
            text,
            held: Arc::clone(&self.held),
        });
        *self.lock() = Some((begun, Arc::downgrade(&text)));
        Bytes::from_owner(Share(text))
    }

    /// How many bytes of texts somebody has.
    pub(super) fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// The newest, where so much is held that it must do.
    fn newest(&self, now: Instant) -> Option<Arc<Text>> {
        let more = self.held().checked_sub(FREE)? / STEP;
        let longest = LONGER.saturating_mul(u32::try_from(more).unwrap_or(u32::MAX));
        let newest = self.lock();
        let (begun, text) = newest.as_ref()?;
        let young = now.saturating_duration_since(*begun) < longest;
        text.upgrade().filter(|_| young)
    }

    fn lock(&self) -> MutexGuard<'_, Newest> {
        // Nothing under the lock panics half-way.
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsRef<[u8]> for Share {
    fn as_ref(&self) -> &[u8] {
        self.0.text.as_bytes()
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        self.held.fetch_sub(self.text.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const MIB: usize = 1 << 20;

    /// Those of so many bytes, of which each begins with its number.
    struct Made {
        texts: Texts,
        bytes: usize,
        number: usize,
    }

    impl Made {
        fn new(bytes: usize) -> Self {
            Self {
                texts: Texts::default(),
                bytes,
                number: 0,
            }
        }

        fn text(&mut self) -> Bytes {
            let (number, bytes) = (&mut self.number, self.bytes);
            self.texts.text(|| {
                *number += 1;
                let number = number.to_string();
                number.clone() + &" ".repeat(bytes.saturating_sub(number.len()))
            })
        }

        fn number(&mut self) -> usize {
            number(&self.text())
        }

        fn held(&self) -> usize {
            self.texts.held()
        }
    }

    fn number(text: &Bytes) -> usize {
        let number = text.split(|byte| *byte == b' ').next();
        String::from_utf8_lossy(number.unwrap()).parse().unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_reads_gets_one_of_now() {
        for bytes in [1, MIB, 16 * MIB] {
            let mut made = Made::new(bytes);
            for expected in 1..=3 {
                assert_eq!(made.number(), expected);
                assert_eq!(made.held(), 0);
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn so_many_may_keep_theirs_and_the_next_gets_one_of_a_moment_ago() {
        let mut made = Made::new(MIB);
        let mut kept: Vec<Bytes> = (0..5).map(|_| made.text()).collect();
        assert!(kept.iter().map(number).eq(1..=5));
        let table = [
            (0, 5),
            (99, 5),
            (1, 6),
            (0, 6),
            (199, 6),
            (1, 7),
            (299, 7),
            (1, 8),
        ];
        for (milliseconds, expected) in table {
            advance(Duration::from_millis(milliseconds)).await;
            kept.push(made.text());
            assert_eq!(kept.last().map(number), Some(expected));
        }
        assert_eq!(made.held(), 8 * MIB);
        // Those of 5, of 6 and of 7: four of them stay.
        kept.truncate(4);
        assert_eq!(made.held(), 4 * MIB);
        assert_eq!([made.number(), made.number()], [9, 10]);
        drop(kept);
        assert_eq!(made.held(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn however_many_do_not_read_they_hold_few() {
        for bytes in [1 << 10, 100 << 10, MIB, 16 * MIB] {
            let mut made = Made::new(bytes);
            let mut kept = Vec::new();
            // More than one may have connections, each for as long as it may read nothing.
            for _ in 0..20_000 {
                advance(Duration::from_millis(1)).await;
                kept.push(made.text());
            }
            let most = 32 * MIB + 5 * bytes;
            assert!(made.held() <= most, "{} of {bytes}", made.held());
            drop(kept);
            assert_eq!(made.held(), 0);
        }
    }
}
