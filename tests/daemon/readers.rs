//! Whoever reads a view while it is written sees the old one or the new one, whatever it is a view of and whatever the umask.

use crate::house::House;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Is last in the views of each task.
const END: &str = "end";
/// Between two rounds of reading.
const BREATH: std::time::Duration = std::time::Duration::from_micros(200);

/// The files of these folders, by their paths.
fn yaml_below(house: &House) -> Vec<PathBuf> {
    let days = fs::read_dir(house.path("queue/done")).into_iter().flatten().flatten();
    let days = days.map(|day| format!("queue/done/{}", day.file_name().to_string_lossy()));
    let folders = ["queue/active", "queue/results", "status", "status/agents"].map(str::to_owned);
    let files = folders.into_iter().chain(days).flat_map(|folder| house.files(&folder));
    files.filter(|path| path.extension().is_some_and(|extension| extension == "yaml")).collect()
}

/// What is last in a view of this folder, whichever it is: by then it is whole.
fn is_whole(path: &Path, text: &str) -> bool {
    let last = text.lines().last().unwrap_or_default();
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    let fits = match folder.to_str().unwrap_or_default() {
        "agents" => last.starts_with("statistics: {") && last.ends_with('}'),
        "status" => last.starts_with("counts: {") && last.ends_with('}'),
        "results" => last.starts_with("proof: "),
        _ => last.starts_with("  long: ") && last.ends_with(END),
    };
    text.ends_with('\n') && fits
}

#[test]
fn no_reader_sees_half_of_any_view_whatever_the_umask() {
    const TASKS: usize = 12;
    // The last shuts its own user out.
    for umask in ["000", "027", "077", "0777"] {
        let mut house = House::plain(&format!("umask-{umask}"));
        house.start_by(&format!("umask {umask}; exec \"$0\" \"$@\""));
        house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
        let long = format!("{}{END}", "x".repeat(40_000));
        for number in 0..TASKS {
            // What is not shown in the answer makes the task's own views long.
            let text =
                format!("id: r-{number}\nto: worker\ncontent: do {number}\nmetadata: {{long: {long}}}\n");
            house.drop(&format!("{number}.yaml"), &text);
        }
        let (mut reads, mut folders) = (0, BTreeSet::new());
        let mut final_texts: BTreeMap<PathBuf, String> = BTreeMap::new();
        let last = format!("queue/results/r-{}.yaml", TASKS - 1);
        let start = std::time::Instant::now();
        while !house.path(&last).exists() || reads < 2_000 {
            assert!(start.elapsed() < crate::house::PATIENCE * 2, "{}", house.output());
            for path in yaml_below(&house) {
                let Ok(text) = fs::read_to_string(&path) else { continue };
                let mode = fs::metadata(&path).map_or(0o600, |meta| meta.permissions().mode() & 0o777);
                assert_eq!(mode, 0o600, "{umask}: {}", path.display());
                assert!(is_whole(&path, &text), "{umask}: half of {}: {text:.2000}", path.display());
                reads += 1;
                let folder = path.parent().and_then(Path::file_name).expect("a folder").to_owned();
                // These are written once: whoever reads one earlier reads no less.
                if folder == "results" || folder.to_string_lossy().starts_with("20") {
                    let first = final_texts.entry(path.clone()).or_insert_with(|| text.clone());
                    assert_eq!(*first, text, "{}", path.display());
                }
                folders.insert(folder);
            }
            // Whoever takes all of a processor is no reader: some kernels let nobody else run for seconds then.
            std::thread::sleep(BREATH);
        }
        assert!(folders.len() >= 5, "{folders:?}");
        house.end();
    }
}
