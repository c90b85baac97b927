//! Classes 39 to 50: what lies in `queue/` and is no file that somebody dropped, and names that cannot be used.

use crate::bad_input::table::{Case, Refused, Then, Town};
use crate::house::copy_program;
use rustix::fs::{FileType, Mode};
use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Classes whose objects are made by hand.
pub(crate) const KINDS: &[(u8, &str)] = &[
    (39, "39-symlink.yaml"),
    (40, "40-dangling.yaml"),
    (41, "41-hard-link.yaml"),
    (42, "42-fifo.yaml"),
    (43, "43-socket.yaml"),
    (44, "44-device.yaml"),
    (45, "45-folder.yaml"),
    (46, "46-not-ours.yaml"),
];
/// Nobody's number.
const NOBODY: u32 = 65_534;

/// Something that was made, and what is to be found of it.
pub(crate) struct Object {
    name: &'static str,
    inode: u64,
    code: &'static str,
    why: &'static str,
}

fn am_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Files with names that cannot be used, or that say that they are of no concern; and one that everybody may write.
pub(crate) fn names() -> Vec<Case> {
    let text = "to: worker\ncontent: x\n";
    let long = format!("{}.yaml", "長".repeat(80));
    let renamed = |class, name: &[u8], to: &str, why: &str| {
        let refused = Refused {
            code: "bad-file-name".into(),
            why: why.into(),
            renamed: Some(to.into()),
            ..Refused::default()
        };
        Case::new(class, OsStr::from_bytes(name), text, Then::Refused(refused))
    };
    let stays = |name: &str, hint| Case::new(50, name, text, Then::Stays { hint });
    let mut open = Case::refused(47, "47-world-writable.yaml", text, "world-writable", "anybody can write");
    open.mode = 0o666;
    vec![
        open,
        renamed(49, b"49-\xff\xfe.yaml", "49-%FF%FE.yaml", "it is kept as `49-%FF%FE.yaml`"),
        renamed(49, b"49-a\nb.yaml", "49-a%0Ab.yaml", "it is kept as `49-a%0Ab.yaml`"),
        renamed(49, b"49-\x1b[2J.yaml", "49-%1B[2J.yaml", "cannot be used"),
        renamed(50, b"-rf.yaml", "%2Drf.yaml", "it is kept as `%2Drf.yaml`"),
        renamed(50, long.as_bytes(), &format!("{}.yaml", "長".repeat(65)), "cannot be used"),
        stays(".50-hidden.yaml", false),
        stays("50-part.yaml.tmp", false),
        stays("50-notes.md", false),
        stays("50-hint.yml", true),
        stays("50-HINT.YAML", true),
    ]
}

/// Makes one thing of each kind that is no plain file of ours. What needs root is left out for others, and that is said.
pub(crate) fn make(town: &Town) -> Vec<Object> {
    let house = &town.house;
    let at = |name: &str| house.path("queue").join(name);
    house.write("secret", "to: worker\ncontent: a secret\n");
    let mode = Mode::RUSR | Mode::WUSR;
    let node = |name: &str, kind, device| rustix::fs::mknodat(rustix::fs::CWD, at(name), kind, mode, device);
    // Made elsewhere and moved in, so that each is whole when it is seen.
    let folder = house.path("folder");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("kept"), "x").expect("a file");
    let mut made = vec![
        ("39-symlink.yaml", "symlink", "this is a symbolic link to `"),
        ("40-dangling.yaml", "symlink", "this is a symbolic link to `/nowhere/at/all`"),
        ("41-hard-link.yaml", "hard-link", "the file has 2 hard links"),
        ("42-fifo.yaml", "not-a-file", "this is a FIFO"),
        ("43-socket.yaml", "not-a-file", "this is a socket"),
        ("45-folder.yaml", "folder", "this is a folder"),
    ];
    house.write("queue/STOP", "");
    symlink(house.path("secret"), at(".39")).expect("a link");
    symlink("/nowhere/at/all", at(".40")).expect("a link");
    fs::hard_link(house.path("secret"), at(".41")).expect("a hard link");
    node(".42", FileType::Fifo, 0).expect("a FIFO");
    // The path of a socket is short.
    let short = tempfile::tempdir().expect("a folder");
    drop(std::os::unix::net::UnixListener::bind(short.path().join("s")).expect("a socket"));
    fs::rename(short.path().join("s"), at(".43")).expect("a socket");
    fs::rename(folder, at(".45")).expect("a folder");
    if am_root() {
        node(".44", FileType::CharacterDevice, rustix::fs::makedev(1, 3)).expect("a device");
        made.push(("44-device.yaml", "not-a-file", "this is a device"));
        fs::write(at(".46"), "to: worker\ncontent: x\n").expect("a file");
        std::os::unix::fs::chown(at(".46"), Some(NOBODY), None).expect("another owner");
        made.push(("46-not-ours.yaml", "not-ours", "the file belongs to user 65534, not to 0"));
    } else {
        // Past the net in which a test's output is caught.
        writeln!(
            std::io::stderr(),
            "NOT TESTED: 44 (a device) and 46 (another's file) can only be made by root"
        )
        .expect("stderr");
    }
    let objects = made.into_iter().map(|(name, code, why)| {
        let hidden = at(&format!(".{}", &name[..2]));
        let inode = hidden.symlink_metadata().expect(name).ino();
        fs::rename(hidden, at(name)).expect(name);
        Object { name, inode, code, why }
    });
    let objects = objects.collect();
    fs::remove_file(house.path("queue/STOP")).expect("STOP");
    objects
}

/// The very thing was moved, and what it leads to was left alone.
pub(crate) fn check(town: &Town, object: &Object) {
    let refused = Refused { code: object.code.into(), why: object.why.into(), ..Refused::default() };
    town.check_refused(object.name, &refused, None);
    let moved = town.house.path("queue/rejected").join(object.name);
    let meta = moved.symlink_metadata().expect(object.name);
    assert_eq!(meta.ino(), object.inode, "{}: another thing lies there", object.name);
    let kind = meta.file_type();
    match &object.name[..2] {
        "39" | "40" => assert!(kind.is_symlink()),
        "42" => assert!(kind.is_fifo()),
        "43" => assert!(kind.is_socket()),
        "44" => assert!(kind.is_char_device()),
        "45" => assert_eq!(fs::read_to_string(moved.join("kept")).expect("kept"), "x"),
        "46" => assert_eq!(meta.uid(), NOBODY, "it was given to us"),
        _ => assert!(kind.is_file()),
    }
    assert_eq!(town.house.read("secret"), "to: worker\ncontent: a secret\n");
    assert!(!town.house.read("status/activity.log").contains("a secret"));
}

/// Root reads everything, so for root the daemon runs as nobody.
#[test]
fn what_cannot_be_read_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("unreadable");
    fs::create_dir_all(root.join("queue")).expect("a queue");
    let socket = format!("tasuki-nobody-{}", std::process::id());
    fs::write(
        root.join("tasuki.yaml"),
        format!("tmux_socket: {socket}\nagents: [{{name: worker, provider: plain, command: [cat], marker: CODING OK}}]\n"),
    )
    .expect("the team");
    let unreadable = root.join("queue/48-unreadable.yaml");
    fs::write(&unreadable, "to: worker\ncontent: x\n").expect("a drop");
    fs::set_permissions(&unreadable, fs::Permissions::from_mode(0o200)).expect("its mode");
    give_away(folder.path());
    let as_nobody = |program: &Path| {
        let mut command = Command::new(program);
        command.current_dir(&root).env_remove("XDG_RUNTIME_DIR").env_remove("TASUKI_ROOT");
        command.env("LANG", "C.UTF-8").env("HOME", &root).stdin(Stdio::null());
        if am_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    };
    let out = fs::File::create(folder.path().join("out.log")).expect("a log");
    // Where the sources lie, nobody may not be able to go.
    let program = root.join(".tasuki-program");
    copy_program(env!("CARGO_BIN_EXE_tasuki"), &program);
    let mut daemon = as_nobody(&program);
    daemon.arg("daemon").stdout(Stdio::null()).stderr(out);
    let mut daemon = daemon.spawn().expect("the daemon");
    let reason = root.join("queue/rejected/48-unreadable.yaml.reason.yaml");
    let start = std::time::Instant::now();
    while !reason.exists()
        && daemon.try_wait().expect("its state").is_none()
        && start.elapsed().as_secs() < 30
    {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let said = fs::read_to_string(folder.path().join("out.log")).expect("a log");
    let alive = daemon.try_wait().expect("its state").is_none();
    daemon.kill().expect("to end it");
    daemon.wait().expect("its end");
    let ended = as_nobody(Path::new("tmux")).args(["-L", &socket, "kill-server"]).output().expect("tmux");
    assert!(alive, "{said}");
    let text = fs::read_to_string(reason).expect(&said);
    assert!(text.contains("code: unreadable") && text.contains("the file's mode is 200"), "{text}");
    assert!(text.contains("cure: chmod u+r the file"), "{text}");
    assert!(ended.status.success(), "{ended:?}");
}

/// Gives a folder and all that is in it to nobody, if that is ours to do.
fn give_away(path: &Path) {
    if !am_root() {
        return;
    }
    std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).expect("another owner");
    if path.is_dir() {
        fs::read_dir(path).expect("a folder").for_each(|entry| give_away(&entry.expect("an entry").path()));
    }
}
