//! The team file.

use crate::engine::engine::Engine;
use crate::io::workspace::{Surroundings, Workspace};
use crate::wire::team_file::{Settings, render};
use std::collections::BTreeMap;

thread_local! {
    /// A folder for the files that a team file may name.
    static PLACE: Option<(tempfile::TempDir, Workspace)> = place();
}

/// Reads bytes as a team file: settings that an engine starts with, or findings, each with its place in the file and a cure;
/// what a person is shown has no control characters.
///
/// # Panics
/// If one of that does not hold, or there is no temporary folder.
pub fn team_file(data: &[u8]) {
    PLACE.with(|place| {
        let Some((_, workspace)) = place else { panic!("a temporary folder") };
        let findings = match Settings::parse(data, workspace, &around(workspace)) {
            Ok(loaded) => {
                drop(Engine::new(loaded.settings.team));
                assert!(loaded.warnings.iter().all(|finding| !finding.fatal));
                loaded.warnings
            }
            Err(findings) => {
                assert!(findings.iter().any(|finding| finding.fatal), "refused for nothing");
                findings
            }
        };
        let shown = render(&findings, false);
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
        for finding in &findings {
            // Bytes that are not UTF-8 are shown as a sign of three.
            assert!(finding.place.start <= data.len() * 3, "{finding:?}");
            assert!(finding.line() >= 1 && finding.column() >= 1);
            assert!(!finding.why.is_empty() && !finding.cure.is_empty());
        }
    });
}

fn place() -> Option<(tempfile::TempDir, Workspace)> {
    let folder = tempfile::tempdir().ok()?;
    std::fs::create_dir_all(folder.path().join("prompts")).ok()?;
    std::fs::write(folder.path().join("prompts/a.md"), "Say {phrase} when done.").ok()?;
    let workspace = Workspace::at(folder.path()).ok()?;
    Some((folder, workspace))
}

fn around(workspace: &Workspace) -> Surroundings {
    let vars = [("PATH", "/usr/bin:/bin"), ("HOME", "/home/某"), ("LANG", "ja_JP.UTF-8")];
    Surroundings {
        vars: vars.into_iter().map(|(name, value)| (name.into(), value.into())).collect::<BTreeMap<_, _>>(),
        cwd: workspace.root().to_path_buf(),
        exe: "/bin/sh".into(),
        home: None,
        config: None,
        temp: std::env::temp_dir(),
        uid: rustix::process::geteuid().as_raw(),
    }
}
