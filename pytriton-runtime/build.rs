//! Names what the features and the target have in common: `cfg(tritonserver)`, where the tritonserver engine is built.

use std::env::var_os;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(tritonserver)");
    let is = |name, value: &str| var_os(name).is_some_and(|found| found == value);
    if var_os("CARGO_FEATURE_TRITONSERVER").is_some()
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_POINTER_WIDTH", "64")
    {
        println!("cargo::rustc-cfg=tritonserver");
    }
}
