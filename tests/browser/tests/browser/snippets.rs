use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Result, finish};

use crate::FOLDER;

/// A build from nothing takes a minute on two cores, later ones some seconds.
const BUILD: Duration = Duration::from_secs(600);
const DEADLINE: Duration = Duration::from_secs(30);

/// The Rust that the page shows, as a crate outside of the workspace: what looks at the page puts each program in a file of `src`,
/// and beside it a folder with the files that it reads and what it must say.
pub(crate) struct Snippets {
    name: String,
    home: String,
}

impl Snippets {
    /// A crate without a program.
    pub(crate) fn new(name: &str) -> Result<Self> {
        let name = format!("snippets_{name}");
        let home = Path::new(FOLDER).join(&name);
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        fs::create_dir_all(home.join("src"))?;
        let home = home.to_string_lossy().into_owned();
        Ok(Self { name, home })
    }

    pub(crate) fn home(&self) -> &str {
        &self.home
    }

    /// Compiles the programs without a warning, and runs each.
    pub(crate) fn run(&self) -> Result<()> {
        let programs = self.programs()?;
        assert!(!programs.is_empty());
        self.write(&programs)?;
        let target = Path::new(FOLDER).with_file_name("");
        let mut build = Command::new(env!("CARGO"));
        build
            .args(["build", "--offline", "--quiet", "--target-dir"])
            .arg(&target)
            .current_dir(&self.home)
            .env_remove("CARGO_BUILD_TARGET");
        finish(&mut build, BUILD)?.success("cargo build")?;
        let binary = target.join("debug").join(&self.name);
        for program in programs {
            let beside = Path::new(&self.home).join(&program);
            let expected = fs::read_to_string(beside.join("said.txt"))?;
            let mut command = Command::new(&binary);
            let said = finish(command.arg(&program).current_dir(&beside), DEADLINE)?;
            let said = said.success(&program)?;
            assert!(said.contains(&expected), "{program}: {expected}: {said}");
        }
        Ok(())
    }

    fn programs(&self) -> Result<Vec<String>> {
        let mut programs = Vec::new();
        for file in fs::read_dir(Path::new(&self.home).join("src"))? {
            let path: PathBuf = file?.path();
            programs.extend(
                path.file_stem()
                    .map(|name| name.to_string_lossy().into_owned()),
            );
        }
        Ok(programs)
    }

    /// Makes each program a module, and a choice of them the crate.
    fn write(&self, programs: &[String]) -> Result<()> {
        let home = Path::new(&self.home);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut main = String::from("#![deny(warnings)]\n");
        let mut arms = String::new();
        for program in programs {
            let file = home.join("src").join(program).with_extension("rs");
            let text = fs::read_to_string(&file)?;
            let run = "pub fn run() -> Result<(), Box<dyn Error>> {\n    main()\n}\n";
            fs::write(&file, format!("{text}\n\n{run}"))?;
            main += &format!("mod {program};\n");
            arms += &format!("        Some({program:?}) => {program}::run(),\n");
        }
        main += &format!(
            "\nfn main() -> Result<(), Box<dyn std::error::Error>> {{\n    match std::env::args().nth(1).as_deref() {{\n{arms}        \
             program => Err(format!(\"{{program:?}}\").into()),\n    }}\n}}\n",
        );
        fs::write(home.join("src/main.rs"), main)?;
        let manifest = format!(
            r#"[package]
name = "{}"
version = "0.1.0"
edition = "2024"

[dependencies]
pytriton = {{ path = {:?}, default-features = false, features = ["client"] }}

[profile.dev]
debug = "line-tables-only"

[workspace]
"#,
            self.name,
            root.join("pytriton"),
        );
        fs::write(home.join("Cargo.toml"), manifest)?;
        fs::copy(root.join("Cargo.lock"), home.join("Cargo.lock"))?;
        Ok(())
    }
}
