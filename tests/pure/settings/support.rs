//! A workspace in a scratch folder, and surroundings that are the same on every machine.

use std::collections::BTreeMap;
use std::path::Path;
use tasuki::io::workspace::{Surroundings, Workspace};
use tasuki::wire::team_file::{Finding, Loaded, Settings, render};
use tempfile::TempDir;

/// A folder with what team files in these tests name.
pub(crate) struct Place {
    pub(crate) workspace: Workspace,
    /// Removed when the test ends.
    _folder: TempDir,
}

pub(crate) fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(folder.path()).unwrap();
    std::fs::create_dir_all(workspace.root().join("sub/作業")).unwrap();
    write(&workspace, "prompts/a.md", "Say {phrase} when done.");
    write(&workspace, "prompts/silent.md", "Work hard.");
    write(&workspace, "prompts/ぷろんぷと.md", "{name}です。終わったら{phrase}と言う。");
    Place { workspace, _folder: folder }
}

pub(crate) fn write(workspace: &Workspace, name: &str, text: &str) {
    let path = workspace.root().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// As of a process in `cwd` with a small environment; `cat` and `sh` are on its PATH.
pub(crate) fn around(cwd: &Path) -> Surroundings {
    let vars = [
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/home/某"),
        ("LANG", "ja_JP.UTF-8"),
        ("EDITOR", "ed"),
        ("TERM", "dumb"),
    ];
    Surroundings {
        vars: vars.into_iter().map(|(name, value)| (name.into(), value.into())).collect::<BTreeMap<_, _>>(),
        cwd: cwd.to_path_buf(),
        exe: "/bin/sh".into(),
        home: None,
        config: None,
        temp: std::env::temp_dir(),
        uid: rustix::process::geteuid().as_raw(),
    }
}

impl Place {
    pub(crate) fn around(&self) -> Surroundings {
        around(self.workspace.root())
    }

    pub(crate) fn parse(&self, yaml: &str) -> Result<Loaded, Vec<Finding>> {
        Settings::parse(yaml.as_bytes(), &self.workspace, &self.around())
    }

    /// What a person reads, with the scratch folder called ROOT.
    pub(crate) fn complaints(&self, yaml: &str) -> String {
        let (verdict, findings) = match self.parse(yaml) {
            Ok(loaded) => ("accepted", loaded.warnings),
            Err(findings) => ("refused", findings),
        };
        format!("{verdict}\n{}", self.readable(&findings))
    }

    pub(crate) fn readable(&self, findings: &[Finding]) -> String {
        let text = render(findings, false).replace(self.workspace.root_text(), "ROOT");
        text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// The settings of a file that must be right.
    pub(crate) fn good(&self, yaml: &str) -> Settings {
        match self.parse(yaml) {
            Ok(loaded) => loaded.settings,
            Err(findings) => panic!("{}", self.readable(&findings)),
        }
    }
}

/// One agent that says nothing special.
pub(crate) const ONE: &str = "agents: [{name: a, provider: scripted}]\n";
