use std::env;
use std::path::PathBuf;

/// The version of tritonserver that `install` provides.
pub const VERSION: &str = "2.51.0";

/// Returns the folder for all files that are kept between starts:
/// `${XDG_CACHE_HOME:-~/.cache}/pytriton`.
pub(super) fn folder() -> Option<PathBuf> {
    let absolute = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Some(cache?.join("pytriton"))
}

/// Returns the folder into which `install` puts tritonserver.
pub(super) fn installation() -> Option<PathBuf> {
    Some(folder()?.join("tritonserver").join(VERSION))
}

/// Returns the folders for workspaces in order of preference: the cache, and the folder for
/// temporary files in case the cache is not writable.
pub(super) fn workspaces() -> (Option<PathBuf>, PathBuf) {
    // The path of a Unix socket has at most 108 bytes, and the name of the workspace takes some.
    let cache = folder().map(|folder| folder.join("workspaces"));
    let cache = cache.filter(|folder| folder.as_os_str().len() < 68);
    let user = rustix::process::geteuid().as_raw();
    let temporary = env::temp_dir().join(format!("pytriton-{user}"));
    (cache, temporary)
}
