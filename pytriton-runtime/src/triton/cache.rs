use std::env;
use std::path::PathBuf;

use super::install::VERSION;

/// The folder of all that we keep between two starts: `${XDG_CACHE_HOME:-~/.cache}/pytriton`.
pub(super) fn folder() -> Option<PathBuf> {
    let absolute = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Some(cache?.join("pytriton"))
}

/// Where `install` puts tritonserver.
pub(super) fn installation() -> Option<PathBuf> {
    Some(folder()?.join("tritonserver").join(VERSION))
}

/// The folders that workspaces may be made in, the best first: the cache, or that for temporary files where the cache
/// cannot be written to.
pub(super) fn workspaces() -> (Option<PathBuf>, PathBuf) {
    // The path of a Unix socket has 108 bytes at the most, and the workspace's own name needs some of them.
    let cache = folder().map(|folder| folder.join("workspaces"));
    let cache = cache.filter(|folder| folder.as_os_str().len() < 68);
    let user = rustix::process::geteuid().as_raw();
    let temporary = env::temp_dir().join(format!("pytriton-{user}"));
    (cache, temporary)
}
