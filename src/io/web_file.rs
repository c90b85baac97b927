//! `.tasuki/web.yaml`: the port for browsers and its tokens, so that a page that is left open goes on after the daemon was
//! away. Whoever reads it can do what the user can.

use crate::engine::words::Millis;
use crate::io::folder::{Folder, FolderError};
use crate::io::regular;
use crate::io::workspace::Workspace;
use crate::wire::layout::plain;
use crate::wire::time::rfc3339;
use crate::wire::web::{Tokens, WebToken};
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

/// Largest file that is read: it has some 300 bytes.
const FILE_BYTES_MAX: u64 = 4_096;
/// Others may read, write or run.
const OTHERS: u32 = 0o077;

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WebFileError {
    /// Its tokens may be known to others.
    #[error("others can read {}, and with it do what you can", plain(.path))]
    Open { path: PathBuf },
    /// Its owner has chosen the tokens.
    #[error("{} belongs to user {owner}, who knows its tokens", plain(.path))]
    Foreign {
        path: PathBuf,
        /// Its owner's number.
        owner: u32,
    },
    /// It is not what tasuki writes.
    #[error("{} cannot be understood: {why}", plain(.path))]
    Odd {
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The machine said no.
    #[error("cannot use {}: {source}", plain(.path))]
    Io {
        path: PathBuf,
        /// What the machine said.
        source: io::Error,
    },
}

impl WebFileError {
    /// What to do about it.
    #[must_use]
    pub fn cure(&self) -> &'static str {
        match self {
            Self::Open { .. } | Self::Foreign { .. } | Self::Odd { .. } => {
                "`tasuki web --new-token` writes it anew, with other tokens"
            }
            Self::Folder(_) => "see with `ls -ld .tasuki` who owns it and who can write to it",
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::ReadOnlyFilesystem => {
                    "make the file system writable (`mount -o remount,rw`), or use a workspace elsewhere"
                }
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room on the disk",
                _ => "move it away, then `tasuki web --new-token`",
            },
        }
    }
}

/// What is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebFile {
    /// Whether the port is open while a daemon runs.
    pub on: bool,
    pub port: u16,
    pub tokens: Tokens,
}

/// The members of the file.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    on: bool,
    port: u16,
    token: String,
    read_only_token: String,
}

impl WebFile {
    /// Reads it; none if there is none.
    ///
    /// # Errors
    /// [`WebFileError`], which is none that is waited for: a pipe or a link is refused.
    pub fn read(workspace: &Workspace) -> Result<Option<Self>, WebFileError> {
        let path = workspace.web_file();
        let io = |source| WebFileError::Io { path: path.clone(), source };
        let file = match regular::open(OpenOptions::new().read(true), &path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(io)?,
        };
        let meta = file.metadata().map_err(io)?;
        if meta.uid() != rustix::process::geteuid().as_raw() {
            return Err(WebFileError::Foreign { path, owner: meta.uid() });
        }
        if meta.mode() & OTHERS != 0 {
            return Err(WebFileError::Open { path });
        }
        let mut text = String::new();
        file.take(FILE_BYTES_MAX).read_to_string(&mut text).map_err(io)?;
        read_members(&text).map(Some).map_err(|why| WebFileError::Odd { path, why })
    }

    /// Writes it, 0600, so that it is on the disk before anybody is told of it. Some ms.
    ///
    /// # Errors
    /// [`WebFileError::Folder`] if others may write to `.tasuki/`; else what the machine said.
    pub fn write(&self, workspace: &Workspace, now: Millis) -> Result<(), WebFileError> {
        let Tokens { full, read_only } = &self.tokens;
        let text = format!(
            "# The port for browsers (`tasuki web`), written {}. Whoever reads this file can do what you can.\n\
             on: {}\nport: {}\ntoken: \"{}\"\nread_only_token: \"{}\"\n",
            rfc3339(now),
            self.on,
            self.port,
            full.text(),
            read_only.text(),
        );
        put(workspace, workspace.web_file(), &text)
    }
}

/// Writes `.tasuki/open.html`, 0600, and gives its path: a file that leads a browser to an address. Other users see the arguments
/// of programs, and not what is in this. Some ms.
///
/// # Errors
/// As [`WebFile::write`].
pub fn write_opening(workspace: &Workspace, address: &str) -> Result<PathBuf, WebFileError> {
    let path = workspace.opening_file();
    // A text of JavaScript that ends no element.
    let address = serde_json::Value::from(address).to_string().replace('<', "\\u003c");
    let text = format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>tasuki</title>\n\
         <script>location.replace({address});</script>\n"
    );
    put(workspace, path.clone(), &text)?;
    Ok(path)
}

fn put(workspace: &Workspace, path: PathBuf, text: &str) -> Result<(), WebFileError> {
    let folder = Folder::open(&workspace.memory())?;
    folder.check_own()?;
    let name = path.file_name().unwrap_or(OsStr::new("web.yaml")).to_owned();
    let io = |source| WebFileError::Io { path: path.clone(), source };
    folder.write_durably(&name, text).map_err(|errno| io(errno.into()))?;
    File::open(workspace.memory()).and_then(|folder| folder.sync_all()).map_err(io)
}

fn read_members(text: &str) -> Result<WebFile, String> {
    let members: Members =
        serde_saphyr::from_str(text).map_err(|_| "it is not what tasuki writes".to_owned())?;
    let token = |text: &str| WebToken::read(text).ok_or("a token has 64 hex digits");
    let tokens = Tokens { full: token(&members.token)?, read_only: token(&members.read_only_token)? };
    if tokens.full == tokens.read_only {
        return Err("both tokens are the same".to_owned());
    }
    Ok(WebFile { on: members.on, port: members.port, tokens })
}

/// Two tokens that nobody had before.
///
/// # Errors
/// If the system has no random bytes: there is nothing else to make a token of.
pub fn new_tokens() -> io::Result<Tokens> {
    let new = || {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok::<_, io::Error>(WebToken::of_bytes(bytes))
    };
    Ok(Tokens { full: new()?, read_only: new()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    fn workspace() -> (tempfile::TempDir, Workspace) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("作業 場");
        fs::create_dir_all(root.join(".tasuki")).unwrap();
        let workspace = Workspace::at(&root).unwrap();
        (folder, workspace)
    }

    fn written(workspace: &Workspace) -> WebFile {
        let file = WebFile { on: true, port: 20_123, tokens: new_tokens().unwrap() };
        file.write(workspace, Millis(0)).unwrap();
        file
    }

    #[test]
    fn it_is_the_users_alone_and_read_as_it_was_written() {
        let (_folder, workspace) = workspace();
        assert!(WebFile::read(&workspace).unwrap().is_none());
        fs::set_permissions(workspace.memory(), Permissions::from_mode(0o755)).unwrap();
        let first = written(&workspace);
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!((mode(workspace.web_file()), mode(workspace.memory())), (0o600, 0o700));
        assert_eq!(WebFile::read(&workspace).unwrap(), Some(first.clone()));
        // Written over one that was open to others, it is closed.
        fs::set_permissions(workspace.web_file(), Permissions::from_mode(0o666)).unwrap();
        let second = written(&workspace);
        assert_eq!(mode(workspace.web_file()), 0o600);
        assert_eq!(WebFile::read(&workspace).unwrap(), Some(second.clone()));
        assert!(first.tokens.full != second.tokens.full && first.tokens.full != first.tokens.read_only);
        let names: Vec<_> =
            fs::read_dir(workspace.memory()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["web.yaml"], "nothing else is left that has a token in it");
    }

    #[test]
    fn what_others_read_or_wrote_is_refused_with_a_cure() {
        let (_folder, workspace) = workspace();
        written(&workspace);
        let cure = |refused: WebFileError| {
            assert!(refused.cure().contains("--new-token"), "{refused}: {}", refused.cure());
            refused.to_string()
        };
        for mode in [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644] {
            fs::set_permissions(workspace.web_file(), Permissions::from_mode(mode)).unwrap();
            let refused = WebFile::read(&workspace).unwrap_err();
            assert!(matches!(refused, WebFileError::Open { .. }), "{mode:o}: {refused}");
            assert!(cure(refused).starts_with("others can read "));
        }
        fs::set_permissions(workspace.web_file(), Permissions::from_mode(0o600)).unwrap();
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(workspace.web_file(), Some(4_321), None).unwrap();
            let refused = WebFile::read(&workspace).unwrap_err();
            assert!(matches!(refused, WebFileError::Foreign { owner: 4_321, .. }), "{refused}");
            assert!(cure(refused).contains("belongs to user 4321"));
        }
        written(&workspace);
        assert!(WebFile::read(&workspace).is_ok());
        // Nobody else may be able to put another file in its place.
        fs::set_permissions(workspace.memory(), Permissions::from_mode(0o777)).unwrap();
        let file = WebFile { on: true, port: 1, tokens: new_tokens().unwrap() };
        let refused = file.write(&workspace, Millis(0)).unwrap_err().to_string();
        assert!(refused.contains("anybody can write to "), "{refused}");
    }

    #[test]
    fn what_is_no_file_of_ours_is_neither_followed_nor_believed() {
        let (_folder, workspace) = workspace();
        let path = workspace.web_file();
        let text = {
            written(&workspace);
            fs::read_to_string(&path).unwrap()
        };
        let token = text.lines().find_map(|line| line.strip_prefix("token: ")).unwrap().to_owned();
        let other = text.lines().find_map(|line| line.strip_prefix("read_only_token: ")).unwrap().to_owned();
        for bad in [
            String::new(),
            "on: true\n".to_owned(),
            text.replace("port: 20123", "port: 99999"),
            text.replace("on: true", "on: perhaps"),
            text.replace(&token, "\"\""),
            text.replace(&token, &token.to_uppercase().replace('A', "G")),
            text.replace(&token, &token[..token.len() - 2]),
            text.replace(&other, &token),
            format!("{text}more: 1\n"),
            format!("{text}port: 1\n"),
        ] {
            fs::write(&path, &bad).unwrap();
            let refused = WebFile::read(&workspace).unwrap_err();
            assert!(matches!(refused, WebFileError::Odd { .. }), "{bad}");
            assert!(!refused.to_string().contains(&token[1..9]), "{refused}");
        }
        let elsewhere = workspace.root().join("elsewhere");
        fs::write(&elsewhere, &text).unwrap();
        let places: [fn(&std::path::Path, &std::path::Path); 3] = [
            |path, _| rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RWXU).unwrap(),
            |path, elsewhere| std::os::unix::fs::symlink(elsewhere, path).unwrap(),
            |path, _| fs::create_dir(path).unwrap(),
        ];
        for put in places {
            let _ = fs::remove_file(&path);
            put(&path, &elsewhere);
            assert!(matches!(WebFile::read(&workspace), Err(WebFileError::Io { .. })));
        }
    }
}
