//! A disk of its own for the workspace of a run: a file system in a file, which can be filled without harm to anybody else.

use crate::lab::trouble::{Kind, Trouble};
use fs2::FileExt as _;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How large it is. The file that holds it takes what is written to it.
const BYTES: u64 = 4 << 30;
/// What fills it.
const BALLOON: &str = "balloon";

/// A disk that is there until it is dropped or given up.
#[derive(Debug)]
pub(super) struct Disk {
    image: PathBuf,
    place: PathBuf,
}

impl Disk {
    /// Makes one in `top` and puts it where the workspace is to be.
    pub(super) fn mount(top: &Path, place: &Path) -> Result<Self, Trouble> {
        let image = top.join("disk");
        File::create(&image).and_then(|file| file.set_len(BYTES)).map_err(Trouble::at(&image))?;
        // Without blocks that only root may use: root has to meet its end, too.
        let mut make = Command::new("mkfs.ext4");
        run(make.args(["-q", "-F", "-m", "0"]).arg(&image))?;
        run(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(place))?;
        Ok(Self { image, place: place.to_owned() })
    }

    /// Leaves this many bytes free.
    pub(super) fn fill(&self, left: u64) -> io::Result<()> {
        let file = File::create(self.place.join(BALLOON))?;
        let free = fs2::available_space(&self.place)?;
        file.allocate(free.saturating_sub(left))
    }

    /// Makes room again.
    pub(super) fn free(&self) -> io::Result<()> {
        match fs::remove_file(self.place.join(BALLOON)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Takes it away, and leaves what was on it where it was.
    pub(super) fn give_up(self) -> io::Result<()> {
        self.free()?;
        let copy = self.place.with_extension("copy");
        let copied = Command::new("cp").arg("-a").arg(&self.place).arg(&copy).status()?;
        let (place, image) = (self.place.clone(), self.image.clone());
        drop(self);
        if !copied.success() {
            return Err(io::Error::other(format!("{} cannot be copied", place.display())));
        }
        let _ = fs::remove_dir_all(copy.join("lost+found"));
        fs::remove_dir(&place)?;
        fs::rename(&copy, &place)?;
        fs::remove_file(&image)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily: a shell of tmux may still stand in it.
        let _ = Command::new("umount").arg("-l").arg(&self.place).status();
    }
}

fn run(command: &mut Command) -> Result<(), Trouble> {
    let cure = "run it as root, where there is mkfs.ext4, or leave out --full-disk";
    let what = command.get_program().to_string_lossy().into_owned();
    let failed = |why: String| Trouble::new(Kind::Failed, "no-disk", format!("{what}: {why}"), cure);
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
        Err(error) => Err(failed(error.to_string())),
    }
}
