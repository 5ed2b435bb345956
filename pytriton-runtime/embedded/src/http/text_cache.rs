use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_core::uncounted::Uncounted;
use tokio::time::Instant;

/// While clients hold at most this many bytes of unread texts, every request gets a new text.
const UNLIMITED_BYTES: usize = 4 << 20;

/// For each additional `STEP_BYTES`, the newest text is reused for `REUSE_STEP` more time, so that
/// fewer texts are created.
const STEP_BYTES: usize = 1 << 20;
const REUSE_STEP: Duration = Duration::from_millis(100);

/// Texts that are created on demand, with bounded memory even if clients do not read them.
///
/// They are not subject to the [`MemoryBudget`](pytriton_core::memory_budget::MemoryBudget), which
/// would
/// refuse them when the server is full: that is when operators need them.
#[derive(Debug, Default)]
pub(super) struct TextCache {
    newest: Mutex<Newest>,
    held: Arc<AtomicUsize>,
}

/// The newest text while a client holds it, and when its creation began.
type Newest = Option<(Instant, Weak<Text>)>;

/// A text that clients hold.
#[derive(Debug)]
struct Text {
    text: String,
    held: Arc<AtomicUsize>,
}

/// A reference to a text.
#[derive(Debug)]
struct Share(Arc<Text>);

impl TextCache {
    /// Returns a text from `make`, or a recent one.
    pub(super) fn text(&self, make: impl FnOnce() -> String) -> TrackedBytes {
        let begun = Instant::now();
        if let Some(text) = self.newest(begun) {
            return Share(text).into_bytes();
        }
        let text = make();
        self.held.fetch_add(text.len(), Ordering::Relaxed);
        let text = Arc::new(Text {
            text,
            held: Arc::clone(&self.held),
        });
        *self.newest.lock() = Some((begun, Arc::downgrade(&text)));
        Share(text).into_bytes()
    }

    /// Returns the total size of the texts that clients hold.
    pub(super) fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// Returns the newest text if it is recent enough for the amount that is held.
    fn newest(&self, now: Instant) -> Option<Arc<Text>> {
        let more = self.held().checked_sub(UNLIMITED_BYTES)? / STEP_BYTES;
        let longest = REUSE_STEP.saturating_mul(u32::try_from(more).unwrap_or(u32::MAX));
        let newest = self.newest.lock();
        let (begun, text) = newest.as_ref()?;
        let young = now.saturating_duration_since(*begun) < longest;
        text.upgrade().filter(|_| young)
    }
}

impl Share {
    fn into_bytes(self) -> TrackedBytes {
        TrackedBytes::uncounted(Bytes::from_owner(self), Uncounted::ServerText)
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

    /// Creates texts of a given size. Each begins with its number.
    struct Made {
        texts: TextCache,
        bytes: usize,
        number: usize,
    }

    impl Made {
        fn new(bytes: usize) -> Self {
            Self {
                texts: TextCache::default(),
                bytes,
                number: 0,
            }
        }

        fn text(&mut self) -> TrackedBytes {
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

    fn number(text: &TrackedBytes) -> usize {
        let number = text.split(|byte| *byte == b' ').next();
        String::from_utf8_lossy(number.unwrap()).parse().unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn fast_readers_get_a_new_document() {
        for bytes in [1, MIB, 16 * MIB] {
            let mut made = Made::new(bytes);
            for expected in 1..=3 {
                assert_eq!(made.number(), expected);
                assert_eq!(made.held(), 0);
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn held_texts_are_bounded_and_reused() {
        let mut made = Made::new(MIB);
        let mut unread: Vec<TrackedBytes> = (0..5).map(|_| made.text()).collect();
        assert!(unread.iter().map(number).eq(1..=5));
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
            unread.push(made.text());
            assert_eq!(unread.last().map(number), Some(expected));
        }
        assert_eq!(made.held(), 8 * MIB);
        // Keeps the texts 5, 6 and 7, four in total.
        unread.truncate(4);
        assert_eq!(made.held(), 4 * MIB);
        assert_eq!([made.number(), made.number()], [9, 10]);
        drop(unread);
        assert_eq!(made.held(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn slow_readers_keep_a_bounded_number_of_documents() {
        for bytes in [1 << 10, 100 << 10, MIB, 16 * MIB] {
            let mut made = Made::new(bytes);
            let mut unread = Vec::new();
            // Several clients may hold connections for a long time without reading.
            for _ in 0..20_000 {
                advance(Duration::from_millis(1)).await;
                unread.push(made.text());
            }
            let most = 32 * MIB + 5 * bytes;
            assert!(made.held() <= most, "{} of {bytes}", made.held());
            drop(unread);
            assert_eq!(made.held(), 0);
        }
    }
}
