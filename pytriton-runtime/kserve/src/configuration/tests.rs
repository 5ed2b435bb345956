use std::path::Path;
use std::{env, fs};

use pytriton_core::model::VersionPolicy;
use pytriton_core::testing::IDENTITY;

use super::table::TABLE;
use super::*;

/// Compares with a golden file; `UPDATE=1` rewrites it.
fn golden(name: &str, text: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/configuration/golden");
    let path = folder.join(format!("{name}.pbtxt"));
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap();
    assert_eq!(text, expected, "{name}: UPDATE=1 writes it anew");
}

#[test]
fn configuration_texts_match_the_golden_files() {
    for (name, declaration) in TABLE {
        let spec = declaration.spec().unwrap();
        golden(name, &configuration(&spec, BACKEND, None).text());
    }
}

#[test]
fn versions_share_a_configuration_text() {
    let spec = IDENTITY.spec().unwrap();
    let table = [
        ("versions", VersionPolicy::All),
        ("latest_versions", VersionPolicy::Latest(2)),
        ("specific_versions", VersionPolicy::Specific(vec![1, 3])),
    ];
    for (name, policy) in table {
        golden(name, &configuration(&spec, BACKEND, Some(&policy)).text());
    }
}
