use std::time::Duration;

/// The table of [`CallOptions`]: the documentation, name, type and default of each option.
/// `call_options!(name)` passes it to the macro `name`, which generates code for each row.
macro_rules! call_options {
    ($macro:ident) => {
        $macro! {
            /// Whether a repeated request receives the cached response without a call.
            response_cache: bool = false;
            /// The number of concurrent batches of an instance. An `async` function executes them
            /// concurrently.
            batches_in_flight: u32 = 1;
            /// Whether the embedded engine may call the function on connection threads. This saves
            /// passing a request to the thread of an instance and back, which takes 10 to 20
            /// microseconds.
            ///
            /// It is a permission, and off by default. The function must finish within some tens of
            /// microseconds. It must not block: no `block_on`, no I/O, no contended locks, and no
            /// waiting for tasks that it spawns. While it runs, the other connections of its thread
            /// wait. One connection thread is never used for this, so that a slow call does not
            /// stop the server. The server logs a warning with the name of the model.
            ///
            /// A call has exclusive use of an instance, regardless of its thread. The state must
            /// therefore be `Send`, but need not be `Sync`: a run-time model needs
            /// [`Stateful::movable`](crate::runtime_models::Stateful::movable). Requests of more
            /// than 256 KiB are executed on the threads of the instances. So are requests that wait
            /// for an idle instance or for a batch. `tritonserver` and the native backend always
            /// use the thread of the instance, so the option has no effect there.
            inline: bool = false;
            /// Whether a panic of the function is a fatal error, like
            /// [`Unrecoverable`](crate::call::Unrecoverable).
            unrecoverable_panics: bool = false;
            /// The maximum duration of a call in microseconds. By default there is no limit.
            max_call_microseconds: u64 = 0;
        }
    };
}

macro_rules! define {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $default:expr;)*) => {
        /// The options of `#[pytriton::model]` about the calls of the function. They apply with and
        /// without batching.
        #[derive(Debug, Clone, Copy)]
        pub struct CallOptions {
            $($(#[$doc])* pub $name: $type,)*
        }

        impl CallOptions {
            /// The defaults.
            pub const DEFAULT: Self = Self { $($name: $default,)* };

            /// The names of the options.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            /// The names and values of the options that differ from their defaults.
            pub fn changed<V>(&self) -> Vec<(&'static str, V)>
            where
                $(V: From<$type>,)*
            {
                let mut changed = Vec::new();
                $(
                    if self.$name != Self::DEFAULT.$name {
                        changed.push((stringify!($name), self.$name.into()));
                    }
                )*
                changed
            }
        }
    };
}

call_options!(define);

pub(crate) use call_options;

impl CallOptions {
    /// The error in the value of an option that was given.
    pub const fn flaw(&self, option: &str) -> Option<&'static str> {
        match option.as_bytes() {
            // The rings between tritonserver and an instance have 4096 entries.
            b"batches_in_flight" if !matches!(self.batches_in_flight, 1..=4096) => {
                Some("expected a number from 1 to 4096")
            }
            b"max_call_microseconds" if self.max_call_microseconds == 0 => {
                Some("expected at least 1 microsecond: to disable the limit, remove the option")
            }
            _ => None,
        }
    }

    /// The time limit of a call; `None` for no limit.
    pub fn max_call(&self) -> Option<Duration> {
        let limited = self.max_call_microseconds > 0;
        limited.then(|| Duration::from_micros(self.max_call_microseconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_options_have_their_names_and_values() {
        #[derive(Debug, PartialEq)]
        struct Text(String);
        macro_rules! from {
            ($($type:ty)*) => {$(
                impl From<$type> for Text {
                    fn from(value: $type) -> Self {
                        Self(value.to_string())
                    }
                }
            )*};
        }
        from!(bool u32 u64);
        assert!(CallOptions::DEFAULT.changed::<Text>().is_empty());
        let options = CallOptions {
            inline: true,
            max_call_microseconds: 7,
            ..CallOptions::DEFAULT
        };
        let expected = [("inline", "true"), ("max_call_microseconds", "7")];
        let expected = expected.map(|(name, value)| (name, Text(value.to_owned())));
        assert_eq!(options.changed::<Text>(), expected);
        assert_eq!(options.max_call(), Some(Duration::from_micros(7)));
        assert_eq!(CallOptions::DEFAULT.max_call(), None);
    }
}
