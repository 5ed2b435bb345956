use std::collections::BTreeSet;
use std::process::Command;

/// Returns the crates in a binary of a user with one engine, or with only the clients.
fn crates(feature: &str) -> BTreeSet<String> {
    let mut cargo = Command::new(env!("CARGO"));
    let output = cargo
        .args(["tree", "--locked", "--package=pytriton", "--edges=normal"])
        .args(["--no-default-features", "--features", feature])
        .args([
            "--prefix=none",
            "--format={p}",
            "--target=x86_64-unknown-linux-gnu",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let names = lines.lines().filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

#[test]
fn engines_exclude_dependencies_of_the_other() {
    let (embedded, tritonserver) = (crates("embedded"), crates("tritonserver"));
    for name in ["pytriton-backend", "zip"] {
        assert!(tritonserver.contains(name), "{name}");
        assert!(!embedded.contains(name), "{name}");
    }
    for name in [
        "axum",
        "hyper",
        "hyper-util",
        "prost",
        "tonic",
        "tonic-health",
    ] {
        assert!(embedded.contains(name), "{name}");
        assert!(!tritonserver.contains(name), "{name}");
    }
}

#[test]
fn clients_have_no_server_dependencies() {
    let client = crates("client");
    for name in ["hyper", "ndarray", "pytriton-client", "tonic"] {
        assert!(client.contains(name), "{name}");
    }
    for name in [
        "axum",
        "inventory",
        "pytriton-backend",
        "pytriton-runtime",
        "tonic-health",
    ] {
        assert!(!client.contains(name), "{name}");
    }
}
