//! Follows the journal of a workspace while drops are accepted: when the last one was, and that each was exactly once.

use crate::house::House;
use crate::support::wait::Watch;
use std::path::PathBuf;

/// Follows the journal over its segments and counts what is accepted.
pub(crate) struct Tail {
    folder: PathBuf,
    watch: Watch,
    segment: u32,
    /// Bytes of it that were looked at.
    read: usize,
    /// How often each was accepted.
    counts: Vec<u8>,
    left: usize,
}

impl Tail {
    /// Of this many drops `s-0`, `s-1`, …
    pub(crate) fn new(house: &House, drops: usize) -> Self {
        let folder = house.path(".tasuki/journal");
        let watch = Watch::changes(&folder);
        let mut tail = Self { folder, watch, segment: 1, read: 0, counts: vec![0; drops], left: drops };
        tail.read();
        tail
    }

    /// The moment at which the last one was seen. It was written then; its flush is under way.
    pub(crate) fn until_all_are_accepted(&mut self) -> u64 {
        loop {
            let at = self.next();
            if self.left == 0 {
                return at;
            }
        }
    }

    /// Waits for more and looks at it; gives the moment.
    pub(crate) fn next(&mut self) -> u64 {
        let at = self.watch.next().last().map_or(0, |seen| seen.at);
        self.read();
        at
    }

    /// How many were not accepted yet.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// None was lost, none was accepted twice, none was refused; once the drops have gone.
    pub(crate) fn exactly_once(&mut self, house: &House) {
        house.until("the drops to go", |house| {
            let left = std::fs::read_dir(house.path("queue")).expect("queue").flatten();
            left.into_iter().all(|entry| !entry.file_name().to_string_lossy().ends_with(".yaml"))
        });
        self.read();
        assert!(self.counts.iter().all(|count| *count == 1), "none lost and none double");
        let rejected = std::fs::read_dir(house.path("queue/rejected")).map_or(0, Iterator::count);
        assert_eq!(rejected, 0, "none was refused");
    }

    /// Looks at what is new.
    pub(crate) fn read(&mut self) {
        loop {
            let path = self.folder.join(format!("{:06}.jsonl", self.segment));
            let next = self.folder.join(format!("{:06}.jsonl", self.segment + 1)).exists();
            self.read_on(&path);
            if !next {
                return;
            }
            (self.segment, self.read) = (self.segment + 1, 0);
        }
    }

    /// Whole lines that are new.
    fn read_on(&mut self, path: &std::path::Path) {
        use std::os::unix::fs::FileExt as _;
        let file = std::fs::File::open(path).expect("a segment");
        let length = usize::try_from(file.metadata().expect("its length").len()).expect("a length");
        let mut bytes = vec![0; length.saturating_sub(self.read)];
        let got = file.read_at(&mut bytes, self.read as u64).expect("a segment");
        bytes.truncate(got);
        // What is prepared behind the last line is blank.
        let end = bytes.iter().rposition(|byte| *byte != b'\n').map_or(0, |at| at + 1);
        let end = bytes[..end.min(bytes.len())].iter().rposition(|byte| *byte == b'}').map_or(0, |at| at + 1);
        let whole = if bytes.get(end) == Some(&b'\n') { end + 1 } else { 0 };
        let text = String::from_utf8_lossy(&bytes[..whole]);
        for found in text.split("\"event\":\"accepted\",\"id\":\"s-").skip(1) {
            let number: usize = found.split('"').next().and_then(|word| word.parse().ok()).expect("a number");
            self.counts[number] += 1;
            self.left = self.left.saturating_sub(1);
        }
        self.read += whole;
    }
}
