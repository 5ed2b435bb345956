//! Declares `cfg(pytriton_qa)`, which only builds for NVIDIA's own tests set.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(pytriton_qa)");
}
