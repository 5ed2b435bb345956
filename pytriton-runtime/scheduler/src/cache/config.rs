use std::ffi::OsStr;

use thiserror::Error;

/// The only cache of the embedded engine.
const LOCAL: &str = "local";
/// The minimum size in bytes. 2.51 fails to start with less, because the bookkeeping of its cache
/// does not fit.
const MIN_CACHE_BYTES: usize = 192;

/// The value of `--cache-config` is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CacheConfigError {
    /// The value is not a cache setting.
    #[error("option --cache-config: expected `local,size=…`, found `{got}`")]
    Form {
        /// The value without its setting.
        got: String,
    },
    /// The embedded engine does not have this cache.
    #[error(
        "option --cache-config: the embedded engine has no cache `{cache}`: write `local,size=…`, or use the tritonserver engine (--engine tritonserver)"
    )]
    UnknownCache {
        /// The name of the cache.
        cache: String,
    },
    /// The setting is unknown.
    #[error(
        "option --cache-config: the cache `local` has no setting `{setting}`: write `local,size=…`"
    )]
    UnknownSetting {
        /// The name of the setting.
        setting: String,
    },
    /// The size is not a number, or is too small.
    #[error(
        "option --cache-config: expected a size of at least {MIN_CACHE_BYTES} bytes, found `{got}`"
    )]
    Size {
        /// The given size.
        got: String,
    },
}

/// Returns the cache size in bytes from the values of `--cache-config`. The last one wins. Returns
/// `None` for an empty list.
///
/// # Errors
///
/// Returns a [`CacheConfigError`] if a value is invalid.
///
/// # Examples
///
/// ```
/// # use std::ffi::OsStr;
/// # use pytriton_scheduler::cache::cache_bytes;
/// assert_eq!(cache_bytes([OsStr::new("local,size=1048576")]), Ok(Some(1 << 20)));
/// assert_eq!(cache_bytes([]), Ok(None));
/// ```
pub fn cache_bytes<'a>(
    values: impl IntoIterator<Item = &'a OsStr>,
) -> Result<Option<usize>, CacheConfigError> {
    let mut bytes = None;
    for value in values {
        bytes = Some(size(&value.to_string_lossy())?);
    }
    Ok(bytes)
}

fn size(value: &str) -> Result<usize, CacheConfigError> {
    let parts = value
        .split_once(',')
        .and_then(|(cache, setting)| Some((cache, setting.split_once('=')?)));
    let Some((cache, (setting, size))) = parts else {
        // The value may contain a password.
        let shown = value.split_once('=').map(|(shown, _)| format!("{shown}=…"));
        return Err(CacheConfigError::Form {
            got: shown.unwrap_or_else(|| value.to_owned()),
        });
    };
    if cache != LOCAL {
        return Err(CacheConfigError::UnknownCache {
            cache: cache.to_owned(),
        });
    }
    if setting != "size" {
        return Err(CacheConfigError::UnknownSetting {
            setting: setting.to_owned(),
        });
    }
    let bytes = size.parse().ok().filter(|&bytes| bytes >= MIN_CACHE_BYTES);
    bytes.ok_or_else(|| CacheConfigError::Size {
        got: size.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_options_are_reported() {
        let table = [
            ("local", "expected `local,size=…`, found `local`"),
            ("size=1024", "expected `local,size=…`, found `size=…`"),
            ("local,size", "expected `local,size=…`, found `local,size`"),
            ("", "expected `local,size=…`, found ``"),
            (",size=1024", "no cache ``"),
            ("redis,host=localhost", "no cache `redis`"),
            ("local,ttl=5", "no setting `ttl`"),
            ("local,size=", "found ``"),
            ("local,size=0", "at least 192 bytes, found `0`"),
            ("local,size=191", "found `191`"),
            ("local,size=-1", "found `-1`"),
            ("local,size=1MB", "found `1MB`"),
            (
                "local,size=99999999999999999999",
                "found `99999999999999999999`",
            ),
        ];
        for (value, expected) in table {
            let error = cache_bytes([OsStr::new(value)]).unwrap_err().to_string();
            assert!(error.contains(expected), "{value}: {error}");
            assert!(error.starts_with("option --cache-config: "), "{error}");
        }
    }

    #[test]
    fn tiny_cache_size_is_accepted() {
        assert_eq!(cache_bytes([OsStr::new("local,size=192")]), Ok(Some(192)));
    }

    #[test]
    fn last_size_takes_precedence() {
        let values = ["local,size=2048", "local,size=1024"].map(OsStr::new);
        assert_eq!(cache_bytes(values), Ok(Some(1024)));
        let values = ["local,size=x", "local,size=1024"].map(OsStr::new);
        assert!(cache_bytes(values).is_err());
    }
}
