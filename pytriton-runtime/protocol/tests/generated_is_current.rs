//! The checked-in protobuf code is what the files in `proto/` make. `UPDATE=1` writes it anew.

#![cfg(feature = "proto")]

use std::error::Error;
use std::fs;
use std::path::Path;

use prost::Message;

#[test]
fn generated_code_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let generated = root.join("src/proto/generated");
    let fresh = tempfile::tempdir().unwrap();
    generate(&root.join("../../proto"), fresh.path()).unwrap();
    for file in ["inference.rs", "inference.bin"] {
        let (checked_in, fresh) = (generated.join(file), fresh.path().join(file));
        if std::env::var_os("UPDATE").is_some() {
            fs::copy(&fresh, &checked_in).unwrap();
        }
        assert!(
            fs::read(&checked_in).unwrap_or_default() == fs::read(&fresh).unwrap(),
            "{} is not current: UPDATE=1 cargo test -p pytriton-protocol --features proto --test generated_is_current",
            checked_in.display()
        );
    }
}

fn generate(protos: &Path, into: &Path) -> Result<(), Box<dyn Error>> {
    let mut compiler = protox::Compiler::new([protos])?;
    compiler
        .include_imports(true)
        .open_file("grpc_service.proto")?;
    // Reflection has no use for the comments and their places in the source.
    let bare = compiler.include_source_info(false).file_descriptor_set();
    fs::write(into.join("inference.bin"), bare.encode_to_vec())?;
    let commented = compiler.include_source_info(true).file_descriptor_set();
    tonic_prost_build::configure()
        .build_server(false)
        .build_transport(false)
        .bytes(".")
        .btree_map(".")
        .emit_rerun_if_changed(false)
        .out_dir(into)
        .compile_fds(commented)?;
    Ok(())
}
