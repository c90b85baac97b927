//! How large files are all together, and what is counted because there is too much of it.

use super::circles::{present, tree_of};
use super::tree::Tree;
use super::{Source, production, sources};
use std::collections::BTreeMap;

const FILE_LINES_MEDIAN_MAX: usize = 140;
const FILE_LINES_P90_MAX: usize = 310;
/// How often a clock is read outside of `src/io/`. It may only shrink: time is an argument.
const CLOCK_READS: usize = 3;

/// The lines of each file that count, the shortest first; files of tests do not.
fn file_lines(sources: &[Source]) -> Vec<usize> {
    let tests = |path: &str| path.ends_with("/tests.rs") || path.contains("/tests/");
    let counted = sources.iter().filter(|source| !tests(&source.path));
    let mut lines: Vec<usize> = counted.map(|source| production(&source.text).lines().count()).collect();
    lines.sort_unstable();
    lines
}

/// That of which this many hundredths are no larger.
fn percentile(sorted: &[usize], hundredths: usize) -> usize {
    let at = (sorted.len() * hundredths).div_ceil(100).max(1) - 1;
    sorted.get(at).copied().unwrap_or(0)
}

/// The files that read a clock, once for each time.
fn clock_reads(tree: &Tree) -> Vec<&str> {
    let clocks = ["std::time::Instant::now", "tokio::time::Instant::now"];
    let reads = tree.named.iter().filter(|named| {
        let module = &tree.modules[named.module];
        let counts = !named.test && !module.test && !module.file.starts_with("src/io/");
        counts && tree.meaning(named).outside.is_some_and(|path| clocks.contains(&path.as_str()))
    });
    reads.map(|named| tree.modules[named.module].file.as_str()).collect()
}

#[test]
fn most_files_are_short() {
    let lines = file_lines(&sources("src"));
    let (median, p90) = (percentile(&lines, 50), percentile(&lines, 90));
    let (files, largest) = (lines.len(), percentile(&lines, 100));
    println!("{files} files: median {median} lines, p90 {p90}, largest {largest}");
    assert!(median <= FILE_LINES_MEDIAN_MAX, "median {median} lines");
    assert!(p90 <= FILE_LINES_P90_MAX, "p90 {p90} lines");
}

#[test]
fn clocks_are_read_no_more_often() {
    let reads = clock_reads(present());
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    reads.iter().for_each(|file| *files.entry(file).or_default() += 1);
    println!("clocks are read {} times outside of src/io: {files:#?}", reads.len());
    assert!(reads.len() <= CLOCK_READS, "clocks are read {} times, not {CLOCK_READS}", reads.len());
    assert!(reads.len() == CLOCK_READS, "clocks are read {} times only: write that here", reads.len());
}

#[test]
fn sizes_and_clocks_are_counted_right() {
    let of = |lines: usize, path: &str| Source { path: path.to_owned(), text: "x\n".repeat(lines) };
    let files = [
        of(3, "src/a.rs"),
        of(1, "src/b.rs"),
        of(2, "src/c.rs"),
        of(9, "src/a/tests.rs"),
        of(9, "src/b/tests/x.rs"),
    ];
    assert_eq!(file_lines(&files), [1, 2, 3]);
    let hundred: Vec<usize> = (1..=100).collect();
    assert_eq!([50, 90, 100].map(|part| percentile(&hundred, part)), [50, 90, 100]);
    let text = "use tokio::time; fn f() { time::Instant::now(); vec![std::time::Instant::now()]; }
        #[cfg(test)] fn g() { std::time::Instant::now(); }";
    let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let tree =
        [source("src/lib.rs", "mod io; mod a;"), source("src/a.rs", text), source("src/io/mod.rs", text)];
    assert_eq!(clock_reads(&tree_of(&tree)), ["src/a.rs"; 2]);
}
