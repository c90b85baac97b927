//! Which folder is meant, what is made in it, and where its socket lies.

use crate::settings::support::{around, write};
use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tasuki::io::workspace::{Surroundings, Workspace, WorkspaceError};
use tasuki::wire::team_file::Settings;
use tempfile::TempDir;

struct Tree {
    folder: TempDir,
    root: PathBuf,
}

/// `team/` is a workspace with folders in it, `home/` another, `bare/` none.
fn tree() -> Tree {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["team/深い/場所", "home", "bare/deep"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    for name in ["team", "home"] {
        std::fs::write(root.join(name).join("tasuki.yaml"), "agents: []").unwrap();
    }
    Tree { folder, root }
}

impl Tree {
    fn from(&self, cwd: &str) -> Surroundings {
        Surroundings { home: Some(self.root.join("home")), ..around(&self.root.join(cwd)) }
    }

    fn found(&self, root: Option<&str>, around: &Surroundings) -> Result<String, String> {
        let found =
            Workspace::find(root.map(Path::new), around).map_err(|error| self.short(&error.to_string()))?;
        Ok(self.short(found.root_text()))
    }

    fn short(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.root.display()), "")
    }
}

#[test]
fn the_nearest_team_file_wins_unless_somebody_names_another() {
    let tree = tree();
    assert_eq!(tree.found(None, &tree.from("team")), Ok("team".into()));
    assert_eq!(tree.found(None, &tree.from("team/深い/場所")), Ok("team".into()));
    assert_eq!(tree.found(None, &tree.from("bare/deep")), Ok("home".into()));
    let mut named = tree.from("bare");
    named.vars.insert("TASUKI_ROOT".into(), tree.root.join("team").into());
    assert_eq!(tree.found(None, &named), Ok("team".into()));
    assert_eq!(
        tree.found(Some("../home"), &named),
        Ok("home".into()),
        "--root is relative to where one stands"
    );
    named.vars.insert("TASUKI_ROOT".into(), "".into());
    assert_eq!(tree.found(None, &named), Ok("home".into()), "an empty variable names nothing");
    drop(tree.folder);
}

#[test]
fn what_is_not_there_is_said_with_what_to_do() {
    let tree = tree();
    let error = tree.found(Some("bare"), &tree.from("")).unwrap_err();
    assert_eq!(error, "--root names bare, which has no tasuki.yaml; make one with `tasuki init --root bare`");
    let mut around = tree.from("bare");
    around.vars.insert("TASUKI_ROOT".into(), tree.root.join("bare").into());
    assert!(tree.found(None, &around).unwrap_err().starts_with("TASUKI_ROOT names bare"));
    let nowhere = Surroundings { home: Some(tree.root.join("none")), ..tree.from("bare") };
    let error = tree.found(None, &nowhere).unwrap_err();
    assert_eq!(
        error,
        "no tasuki.yaml in bare or above it, nor in your own workspace none; make one here with `tasuki init`"
    );
    assert!(tree.found(Some("gone"), &tree.from("")).unwrap_err().contains("which is not a folder"));
    assert!(tree.found(Some("team/tasuki.yaml"), &tree.from("")).unwrap_err().contains("is not a folder"));
}

#[test]
fn a_team_file_that_somebody_else_put_above_is_not_obeyed() {
    let tree = tree();
    let stranger = Surroundings { uid: 12_345_678, ..tree.from("team/深い") };
    assert!(matches!(Workspace::find(None, &stranger), Err(WorkspaceError::Foreign { .. })));
    assert!(Workspace::find(Some(&tree.root.join("team")), &stranger).is_ok(), "named by the user");
}

#[test]
fn one_folder_has_one_name_and_one_hash() {
    let tree = tree();
    std::os::unix::fs::symlink(tree.root.join("team"), tree.root.join("link")).unwrap();
    let (team, link) =
        (Workspace::at(&tree.root.join("team")).unwrap(), Workspace::at(&tree.root.join("link")).unwrap());
    assert_eq!((&team, team.hash()), (&link, link.hash()));
    assert_eq!(team.hash().len(), 16);
    assert_ne!(team.hash(), Workspace::at(&tree.root.join("home")).unwrap().hash());
    let odd = tree.root.join("a\nb");
    std::fs::create_dir(&odd).unwrap();
    assert!(matches!(Workspace::at(&odd), Err(WorkspaceError::BadPath { .. })));
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().mode() & 0o7777
}

#[test]
fn the_folders_are_made_for_the_user_alone() {
    let tree = tree();
    let workspace = Workspace::at(&tree.root.join("team")).unwrap();
    std::fs::create_dir(workspace.queue()).unwrap();
    std::fs::set_permissions(workspace.queue(), Permissions::from_mode(0o775)).unwrap();
    workspace.prepare().unwrap();
    workspace.prepare().unwrap();
    for folder in [
        workspace.queue(),
        workspace.active(),
        workspace.rejected(),
        workspace.agents_status(),
        workspace.journal(),
    ] {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
    }
}

#[test]
fn what_everybody_may_write_is_refused() {
    let tree = tree();
    let workspace = Workspace::at(&tree.root.join("team")).unwrap();
    let refused = |path: PathBuf, open: u32, closed: u32| {
        std::fs::set_permissions(&path, Permissions::from_mode(open)).unwrap();
        let error = workspace.prepare().unwrap_err();
        assert!(matches!(&error, WorkspaceError::OpenToAll { path: named } if *named == path), "{error}");
        std::fs::set_permissions(&path, Permissions::from_mode(closed)).unwrap();
        workspace.prepare().unwrap();
    };
    workspace.prepare().unwrap();
    refused(workspace.queue(), 0o777, 0o700);
    refused(workspace.team_file(), 0o666, 0o644);
    refused(workspace.root().to_path_buf(), 0o777, 0o755);
    std::fs::set_permissions(workspace.root(), Permissions::from_mode(0o1777)).unwrap();
    workspace.prepare().expect("in a folder like /tmp nobody can take our files away");
}

#[test]
fn what_lint_does_not_look_at_is_told_with_its_place_and_cure() {
    let tree = tree();
    let workspace = Workspace::at(&tree.root.join("team")).unwrap();
    let shown = || Settings::load(&workspace, &tree.from("")).unwrap_err().shown();
    let lint = "`tasuki lint tasuki.yaml` shows it";
    std::fs::write(workspace.team_file(), "agents: [").unwrap();
    assert_eq!(shown(), lint);
    std::fs::set_permissions(workspace.team_file(), Permissions::from_mode(0o666)).unwrap();
    assert!(shown().ends_with("tasuki.yaml; `chmod o-w` it"), "{}", shown());
    std::fs::remove_file(workspace.team_file()).unwrap();
    assert!(shown().contains("tasuki.yaml: there is no such file"), "{}", shown());
    std::fs::create_dir(workspace.team_file()).unwrap();
    assert!(shown().contains("tasuki.yaml is not a file"), "{}", shown());
}

#[test]
fn a_link_or_a_file_is_no_folder_of_ours() {
    let tree = tree();
    let workspace = Workspace::at(&tree.root.join("team")).unwrap();
    std::os::unix::fs::symlink(tree.root.join("bare"), workspace.queue()).unwrap();
    assert!(matches!(workspace.prepare(), Err(WorkspaceError::NotAFolder { .. })));
    std::fs::remove_file(workspace.queue()).unwrap();
    write(&workspace, "queue", "");
    assert!(matches!(workspace.prepare(), Err(WorkspaceError::NotAFolder { .. })));
}

#[test]
fn the_socket_has_a_short_path_in_a_private_folder() {
    let tree = tree();
    let workspace = Workspace::at(&tree.root.join("team")).unwrap();
    workspace.prepare().unwrap();
    let mut around = tree.from("team");
    let own = workspace.memory().join("socket");
    assert_eq!(workspace.socket_path(&around).unwrap(), own, "without a runtime folder");
    around.vars.insert("XDG_RUNTIME_DIR".into(), tree.root.join("bare").into());
    let runtime = tree.root.join("bare/tasuki").join(format!("{}.sock", workspace.hash()));
    assert_eq!(workspace.socket_path(&around).unwrap(), runtime);
    assert_eq!(mode(&tree.root.join("bare/tasuki")), 0o700);
    assert_eq!(workspace.socket_candidates(&around)[..2], [runtime, own]);
    let stranger = Surroundings { uid: 12_345_678, ..around };
    assert!(
        !workspace.socket_candidates(&stranger)[0].starts_with(tree.root.join("bare")),
        "another user's folder"
    );
}

#[test]
fn a_deep_workspace_has_its_socket_under_the_temporary_folder() {
    let tree = tree();
    let deep = tree.root.join("team").join("深い".repeat(30));
    std::fs::create_dir(&deep).unwrap();
    let workspace = Workspace::at(&deep).unwrap();
    workspace.prepare().unwrap();
    let around = Surroundings { temp: tree.root.join("bare"), ..tree.from("team") };
    let path = workspace.socket_path(&around).unwrap();
    assert!(path.starts_with(tree.root.join(format!("bare/tasuki-{}", around.uid))), "{}", path.display());
    assert!(path.as_os_str().as_bytes().len() <= 107);
    std::os::unix::net::UnixListener::bind(&path).unwrap();

    // Somebody has put a folder there that all may write: the next place is taken, and that one never.
    let planted = path.parent().unwrap();
    std::fs::set_permissions(planted, Permissions::from_mode(0o777)).unwrap();
    let other = workspace.socket_path(&around).unwrap();
    assert!(other.starts_with("/tmp") && !other.starts_with(planted), "{}", other.display());
}
