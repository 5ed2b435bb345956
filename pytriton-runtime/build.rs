//! Sets `cfg(tritonserver)` if the features and the target include the tritonserver engine.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(tritonserver)");
    // Set for runs of NVIDIA's own tests, never for a release.
    println!("cargo::rustc-check-cfg=cfg(pytriton_qa)");
    let is = |name, values: &[&str]| var(name).is_ok_and(|value| values.contains(&value.as_str()));
    // As for the dependency `pytriton-backend` in the manifest.
    if var("CARGO_FEATURE_TRITONSERVER").is_ok()
        && is("CARGO_CFG_TARGET_OS", &["linux"])
        && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"])
        && is("CARGO_CFG_TARGET_POINTER_WIDTH", &["64"])
    {
        println!("cargo::rustc-cfg=tritonserver");
    }
}
