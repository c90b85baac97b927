//! A disk: a file system on a loop device, and what its image holds at a moment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// How long a disk may be busy before a test gives up.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(5);
/// Files that are written to see whether one of them is lost.
const PROBES: usize = 10;
/// Why a disk could not be copied: something else is at it, and nothing is known of what would have come behind the cut.
pub(crate) const NEVER_STILL: &str = "the disk never stands still";

/// What is made on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileSystem {
    Ext4,
    Xfs,
    Btrfs,
}

impl FileSystem {
    /// Its name on the command line.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "ext4" => Some(Self::Ext4),
            "xfs" => Some(Self::Xfs),
            "btrfs" => Some(Self::Btrfs),
            _ => None,
        }
    }

    /// The smallest that its tools make, in MiB, and how they are called.
    const fn made(self) -> (u64, &'static [&'static str]) {
        match self {
            // What would be made later is made now: nobody else is to write on it.
            Self::Ext4 => (64, &["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"]),
            Self::Xfs => (300, &["mkfs.xfs", "-q", "-f"]),
            Self::Btrfs => (128, &["mkfs.btrfs", "-q", "-f"]),
        }
    }

    /// A copy is mounted beside what it is a copy of.
    const fn options(self) -> &'static str {
        match self {
            Self::Xfs => "loop,nouuid",
            // By itself it would write all that is younger than five seconds, which beside other work is all there is.
            Self::Ext4 | Self::Btrfs => "loop,commit=300",
        }
    }

    /// Whether this machine lets us have one.
    pub(crate) fn is_usable(self) -> Result<(), String> {
        if !rustix::process::geteuid().is_root() {
            return Err("only root may mount a loop device".to_owned());
        }
        let disk = Disk::new(self)?;
        disk.sync();
        let start = Instant::now();
        while disk.writes().is_none() {
            if start.elapsed() > PATIENCE {
                return Err("the kernel does not say what the device writes (is /sys mounted?)".to_owned());
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Whether what nobody flushed is lost here: something else may write everything out all the time.
    pub(crate) fn loses(self) -> Result<(), String> {
        let disk = Disk::new(self)?;
        disk.sync();
        for number in 0..PROBES {
            let name = format!("unflushed-{number}");
            fs::write(disk.place().join(&name), "x").map_err(|error| error.to_string())?;
            if !disk.copy()?.place().join(&name).exists() {
                return Ok(());
            }
        }
        Err("what nobody flushed is on the disk at once".to_owned())
    }

    /// Whether it can be told to lose what it has not written.
    pub(crate) fn can_be_shut_down(self) -> bool {
        self != Self::Btrfs && Command::new("xfs_io").arg("-V").output().is_ok()
    }
}

/// Whether flushes can be turned into nothing.
pub(crate) fn may_trace() -> Result<(), String> {
    let tried = Command::new("strace").args(["-f", "-o", "/dev/null", "true"]).output();
    match tried {
        Ok(output) if output.status.success() => Ok(()),
        _ => Err("strace may not trace here".to_owned()),
    }
}

/// A file system that is mounted, and goes when it is dropped.
pub(crate) struct Disk {
    fs: FileSystem,
    folder: tempfile::TempDir,
}

impl Disk {
    /// A new and empty one.
    pub(crate) fn new(fs: FileSystem) -> Result<Self, String> {
        let disk = Self { fs, folder: folder() };
        let (mib, make) = fs.made();
        let image = fs::File::create(disk.image()).map_err(|error| error.to_string())?;
        image.set_len(mib << 20).map_err(|error| error.to_string())?;
        run(Command::new(make[0]).args(&make[1..]).arg(disk.image()))?;
        disk.mount()?;
        Ok(disk)
    }

    /// What the disk holds now, on another one. Whoever writes is to stand still; the image is taken when the kernel has
    /// nothing under way either, so that it is a state that was.
    pub(crate) fn copy(&self) -> Result<Self, String> {
        let copy = Self { fs: self.fs, folder: folder() };
        let start = Instant::now();
        loop {
            let before = self.writes();
            run(Command::new("cp").arg("--sparse=auto").arg(self.image()).arg(copy.image()))?;
            if before.is_some() && before == self.writes() {
                break;
            }
            if start.elapsed() > PATIENCE {
                return Err(NEVER_STILL.to_owned());
            }
            std::thread::sleep(PAUSE);
        }
        copy.mount()?;
        Ok(copy)
    }

    /// Loses what is not written yet, and comes again, as after a cut. Nobody may be in it.
    pub(crate) fn lose_power(&self) -> Result<(), String> {
        run(Command::new("xfs_io").args(["-x", "-c", "shutdown"]).arg(self.place()))
    }

    /// Leaves it and mounts it again.
    pub(crate) fn come_again(&self) -> Result<(), String> {
        let start = Instant::now();
        while let Err(why) = run(Command::new("umount").arg(self.place())) {
            if start.elapsed() > PATIENCE {
                return Err(why);
            }
            std::thread::sleep(PAUSE);
        }
        self.mount()
    }

    /// Where it is mounted.
    pub(crate) fn place(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    /// Brings everything to the image.
    pub(crate) fn sync(&self) {
        let folder = fs::File::open(self.place()).expect("the disk");
        rustix::fs::syncfs(&folder).expect("to sync");
    }

    fn image(&self) -> PathBuf {
        self.folder.path().join("image")
    }

    fn mount(&self) -> Result<(), String> {
        fs::create_dir_all(self.place()).map_err(|error| error.to_string())?;
        run(Command::new("mount").args(["-o", self.fs.options()]).arg(self.image()).arg(self.place()))?;
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(self.place(), fs::Permissions::from_mode(0o700))
            .map_err(|error| error.to_string())
    }

    /// Writes that the device has done, if none is under way.
    fn writes(&self) -> Option<u64> {
        let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
        let place = self.place().display().to_string();
        let device = mounts.lines().find_map(|line| {
            let mut words = line.split(' ');
            let device = words.next()?;
            (words.next()? == place).then_some(device)
        })?;
        let name = Path::new(device).file_name()?.to_str()?;
        let stat = fs::read_to_string(format!("/sys/block/{name}/stat")).ok()?;
        let numbers: Vec<u64> = stat.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        // The fifth counts writes, the ninth what is under way (Documentation/block/stat.rst).
        (*numbers.get(8)? == 0).then_some(*numbers.get(4)?)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily: a shell of tmux may still stand in it. The loop device goes with the mount.
        let _ = Command::new("umount").arg("-l").arg(self.place()).output();
    }
}

/// In memory where there is some: then what is measured is not this machine's own disk.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder")
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    let said = || format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim());
    output.status.success().then_some(()).ok_or_else(said)
}
