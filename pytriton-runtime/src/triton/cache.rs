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

/// The folder of workspaces: in the cache, or in the folder for temporary files where there is none.
pub(super) fn workspaces() -> PathBuf {
    folder().map_or_else(
        || {
            let user = rustix::process::geteuid().as_raw();
            env::temp_dir().join(format!("pytriton-{user}"))
        },
        |folder| folder.join("workspaces"),
    )
}
