//! The manifests of `deploy/` are valid, and their servers behave as specified.

use std::path::Path;
use std::process::Command;

use pytriton_tests::{Python, Result, finish, tritonserver};
use tempfile::TempDir;

use crate::command_line::DEADLINE;
use crate::{MODELS, folder, python};

const CHANGING_MODELS: &str = env!("CARGO_BIN_EXE_changing_models");

#[test]
fn manifests_are_valid() -> Result<()> {
    Python::with_kserve(folder())?.run("valid_manifests.py", [])
}

/// Performs the operations of a platform on the server of a manifest, in a network namespace with
/// the ports of the manifest.
fn deployed(name: &str, binary: &str, program: &Path, places: &[&Path]) -> Result<()> {
    let namespaces = ["--map-root-user", "--net", "--mount"];
    let mut command = python()?.command_by("unshare", &namespaces);
    command
        .args(["deployed.py", name, binary])
        .arg(program)
        .args(places)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/python"));
    finish(&mut command, 3 * DEADLINE)?.success(name)?;
    Ok(())
}

/// Runs the embedded engine, which needs no other program.
fn embedded(name: &str, binary: &str) -> Result<()> {
    deployed(name, binary, Path::new(binary), &[])
}

#[test]
fn deployment_matches_its_manifest() -> Result<()> {
    embedded("deployment", MODELS)
}

#[test]
fn gpu_deployment_matches_its_patch() -> Result<()> {
    embedded("gpu", MODELS)
}

#[test]
fn knative_port_is_sufficient() -> Result<()> {
    embedded("knative", MODELS)
}

#[test]
fn kserve_runtime_matches_its_manifest() -> Result<()> {
    embedded("kserve", MODELS)?;
    embedded("kserve-knative", MODELS)
}

#[test]
fn kserve_canary_matches_its_manifest() -> Result<()> {
    embedded("kserve-canary", MODELS)
}

#[test]
fn kserve_runtime_with_tritonserver_matches_its_manifest() -> Result<()> {
    let program = tritonserver(MODELS.as_ref(), folder())?;
    deployed("kserve-tritonserver", MODELS, &program, &[])
}

#[test]
fn kserve_runtime_of_a_native_backend_matches_its_manifest() -> Result<()> {
    let program = tritonserver(MODELS.as_ref(), folder())?;
    let written = TempDir::new()?;
    let mut repository = Command::new(MODELS);
    repository
        .args(["repository", "--native"])
        .arg(written.path());
    finish(&mut repository, DEADLINE)?.success("repository --native")?;
    let places = [
        written.path().join("backends"),
        written.path().join("models"),
    ];
    let places: Vec<&Path> = places.iter().map(AsRef::as_ref).collect();
    deployed("kserve-native", MODELS, &program, &places)
}

#[test]
fn kserve_agent_loads_and_unloads() -> Result<()> {
    embedded("agent", CHANGING_MODELS)
}

#[test]
fn seldon_agent_loads_and_unloads() -> Result<()> {
    embedded("seldon", CHANGING_MODELS)
}
