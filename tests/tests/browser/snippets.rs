use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Outside, Result, finish};

use crate::FOLDER;

const DEADLINE: Duration = Duration::from_secs(30);

/// The Rust programs that the page shows, in a crate outside of the workspace. The Python test
/// writes each program to a file in `src`, and next to it a directory with its input files and its
/// expected output.
pub(crate) struct Snippets(Outside);

impl Snippets {
    /// Creates a crate without programs.
    pub(crate) fn new(name: &str) -> Result<Self> {
        let name = format!("snippets_{name}");
        let home = Path::new(FOLDER).join(&name);
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        Ok(Self(Outside::new(Path::new(FOLDER), &name)?))
    }

    pub(crate) fn home(&self) -> &Path {
        self.0.home()
    }

    /// Compiles the programs with warnings denied, and runs each.
    pub(crate) fn run(&self) -> Result<()> {
        let programs = self.programs()?;
        assert!(!programs.is_empty());
        self.write(&programs)?;
        self.0.build()?.success("cargo build")?;
        for program in programs {
            let directory = self.home().join(&program);
            let expected = fs::read_to_string(directory.join("said.txt"))?;
            let mut command = Command::new(self.0.program());
            let printed = finish(command.arg(&program).current_dir(&directory), DEADLINE)?;
            let printed = printed.success(&program)?;
            assert!(
                printed.contains(&expected),
                "{program}: {expected}: {printed}"
            );
        }
        Ok(())
    }

    fn programs(&self) -> Result<Vec<String>> {
        let mut programs = Vec::new();
        for file in fs::read_dir(self.source())? {
            let path: PathBuf = file?.path();
            programs.extend(
                path.file_stem()
                    .map(|name| name.to_string_lossy().into_owned()),
            );
        }
        Ok(programs)
    }

    fn source(&self) -> PathBuf {
        self.home().join("src")
    }

    /// Turns each program into a module, and generates a `main` that selects one.
    fn write(&self, programs: &[String]) -> Result<()> {
        let mut main = String::from("#![deny(warnings)]\n");
        let mut arms = String::new();
        for program in programs {
            let file = self.source().join(program).with_extension("rs");
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
        fs::write(self.source().join("main.rs"), main)?;
        Ok(())
    }
}
