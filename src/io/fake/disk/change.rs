//! What is asked of a disk.

use crate::io::fake::views::is_view;

/// A change to files that was asked for. Names are paths from the root of the world.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    Create { name: String },
    Write { name: String, bytes: Vec<u8>, offset: u64 },
    Sync { name: String, whole: bool },
    SyncNames { folder: String },
    Rename { from: String, to: String },
    Remove { name: String },
    Truncate { name: String, len: u64 },
    Allocate { name: String },
    SyncAll,
}

impl Change {
    /// Whether it makes or writes a view.
    pub(crate) fn is_of_view(&self) -> bool {
        let name = match self {
            Self::Create { name }
            | Self::Write { name, .. }
            | Self::Sync { name, .. }
            | Self::SyncNames { folder: name }
            | Self::Rename { to: name, .. }
            | Self::Remove { name }
            | Self::Truncate { name, .. }
            | Self::Allocate { name } => name,
            Self::SyncAll => return false,
        };
        is_view(name)
    }

    /// Whether a full disk refuses it.
    pub(crate) fn takes_room(&self) -> bool {
        matches!(self, Self::Create { .. } | Self::Write { .. } | Self::Allocate { .. })
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Create { name } => write!(f, "create {name}"),
            // The number of an inode stands in it, which is the machine's.
            Self::Write { name, offset, .. } if name.ends_with(".reason.yaml.tmp") => {
                write!(f, "write {name} {offset}")
            }
            Self::Write { name, bytes, offset } => write!(f, "write {name} {offset}+{}", bytes.len()),
            Self::Sync { name, .. } => write!(f, "sync {name}"),
            Self::SyncNames { folder } => write!(f, "sync names in {folder}"),
            Self::Rename { from, to } => write!(f, "rename {from} to {to}"),
            Self::Remove { name } => write!(f, "remove {name}"),
            Self::Truncate { name, len } => write!(f, "cut {name} to {len}"),
            Self::Allocate { name } => write!(f, "take room for {name}"),
            Self::SyncAll => write!(f, "sync all"),
        }
    }
}
