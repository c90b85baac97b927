//! The log on a real file.

use super::*;
use crate::wire::time::read_moment;
use std::os::unix::fs::PermissionsExt;

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn a_line_an_event_with_time_level_and_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("daemon.log");
    let log = Log::start(&path).unwrap();
    tracing::subscriber::with_default(log.subscriber("info").unwrap(), || {
        tracing::info!(agent = "襷", "two\nlines \u{1b}[31m");
        tracing::debug!("not this");
        tracing::warn!(password = "hunter2", "careful");
    });
    drop(log);
    let text = read(&path);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(read_moment(lines[0].split(' ').next().unwrap(), &chrono::Utc).is_some(), "{text}");
    assert!(
        lines[0].contains(" INFO tasuki::io::log::tests: two\\nlines ") && lines[0].contains("襷"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}') && !text.contains("hunter2"), "{text}");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_full_log_begins_a_new_file_and_three_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("daemon.log");
    for (name, text) in [("daemon.log.1", "older"), ("daemon.log.2", "oldest")] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    File::create(&path).unwrap().set_len(LOG_BYTES_MAX).unwrap();
    let log = Log::start(&path).unwrap();
    tracing::subscriber::with_default(log.subscriber("info").unwrap(), || tracing::info!("new"));
    drop(log);
    assert!(read(&path).ends_with("new\n") && read(&path).lines().count() == 1);
    assert_eq!(numbered(&path, 1).metadata().unwrap().len(), LOG_BYTES_MAX);
    assert_eq!(read(&numbered(&path, 2)), "older");
    assert!(!numbered(&path, 3).exists());
}

#[test]
fn a_disk_that_takes_nothing_stops_nobody() {
    let log = Log::start(Path::new("/dev/full")).unwrap();
    tracing::subscriber::with_default(log.subscriber("info").unwrap(), || {
        for number in 0..10_000 {
            tracing::info!(number, "nobody will read this");
        }
    });
    assert!(log.sink.lost.load(Ordering::Relaxed) > 0);
}

#[test]
fn lines_that_were_lost_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("daemon.log");
    let log = Log::start(&path).unwrap();
    log.sink.lost.store(7, Ordering::Relaxed);
    tracing::subscriber::with_default(log.subscriber("info").unwrap(), || tracing::info!("after"));
    drop(log);
    let text = read(&path);
    assert!(text.contains("after\n") && text.contains("lines of this log that were lost: 7"), "{text}");
}

#[test]
fn lines_that_could_not_be_written_are_counted() {
    let log = Log::start(Path::new("/dev/full")).unwrap();
    let lost = Arc::clone(&log.sink.lost);
    tracing::subscriber::with_default(log.subscriber("info").unwrap(), || {
        (0..5).for_each(|number| tracing::info!(number, "nobody will read this"));
    });
    drop(log);
    assert_eq!(lost.load(Ordering::Relaxed), 5);
}

#[test]
fn a_line_is_cut_between_characters() {
    for padding in ["", "-", "--"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.log");
        let log = Log::start(&path).unwrap();
        let line = format!("{padding}{}", "襷".repeat(50_000));
        tracing::subscriber::with_default(log.subscriber("info").unwrap(), || tracing::info!("{line}"));
        drop(log);
        let text = read(&path);
        assert!(text.len() <= LINE_BYTES_MAX + 1 && text.len() > LINE_BYTES_MAX - 3, "{}", text.len());
        assert!(text.trim_end().ends_with('襷'));
    }
}

#[test]
fn a_level_that_is_none_is_refused_with_its_cure() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::start(&folder.path().join("daemon.log")).unwrap();
    let error = log.subscriber("tasuki=lots").err().unwrap().to_string();
    assert!(error.contains("tasuki=lots") && error.contains("use error, warn, info"), "{error}");
}

#[test]
fn a_pipe_in_its_place_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("daemon.log");
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || tell.send(Log::start(&path).is_err()));
    assert_eq!(told.recv_timeout(Duration::from_secs(10)), Ok(true));
}
