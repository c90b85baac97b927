//! No sentence that users read is longer than thirty words: in the pages, and in the help of every command.
//!
//! Code blocks do not count. A heading, a list item and a table cell each are a text of their own. A code span is one word.

use super::root;
use std::fs;

const WORDS_MAX: usize = 30;

/// Pages that are left out, and why.
const EXEMPT: &[(&str, &str)] = &[
    ("docs/performance.md", "not rewritten yet"),
    ("docs/planted-bugs.md", "made of the headers of tests/planted/*.patch"),
];

/// A text without blank lines, and the line of its file that it begins in.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    line: usize,
    text: String,
}

/// Where in a page the reader is.
#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    open: Option<Block>,
    in_code: bool,
}

impl Reader {
    fn close(&mut self) {
        self.blocks.extend(self.open.take());
    }

    fn push(&mut self, line: usize, text: &str) {
        self.close();
        self.blocks.push(Block { line, text: text.to_owned() });
    }

    fn read(&mut self, line: usize, row: &str) {
        let text = row.trim();
        if text.starts_with("```") {
            self.close();
            self.in_code = !self.in_code;
        } else if self.in_code {
        } else if text.is_empty() {
            self.close();
        } else if self.open.is_none() && row.starts_with("    ") {
            // An indented code block.
        } else if text.starts_with('|') {
            self.close();
            cells(text).iter().for_each(|cell| self.push(line, cell));
        } else if text.starts_with('#') {
            self.push(line, text);
        } else {
            if is_item(text) {
                self.close();
            }
            let open = self.open.get_or_insert_with(|| Block { line, text: String::new() });
            open.text.push_str(text);
            open.text.push(' ');
        }
    }
}

fn is_item(text: &str) -> bool {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* "].iter().any(|mark| text.starts_with(mark))
        || number.len() < text.len() && number.starts_with(". ")
}

/// The cells of a table's row. `\|` is a bar inside of one.
fn cells(row: &str) -> Vec<String> {
    let row = row.replace("\\|", "\u{1}");
    let cells = row.split('|').map(|cell| cell.trim().replace('\u{1}', "|"));
    cells.filter(|cell| !cell.is_empty()).collect()
}

fn blocks(page: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    page.lines().enumerate().for_each(|(at, row)| reader.read(at + 1, row));
    reader.close();
    reader.blocks
}

/// Code spans as one word, and links as their text.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for (at, part) in text.split('`').enumerate() {
        plain.push_str(if at % 2 == 0 { part } else { "code" });
    }
    let mut parts = plain.split("](");
    let mut text = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| text.push_str(part.split_once(')').map_or(part, |(_, rest)| rest)));
    text.replace('[', "")
}

/// The sentences of a text.
fn sentences(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for word in plain(text).split_whitespace() {
        let last = found.len() - 1;
        found[last] = format!("{} {word}", found[last]).trim_start().to_owned();
        let end = word.trim_end_matches(['"', '\'', ')', '*', '_', '”', '’']);
        if end.ends_with(['.', '!', '?', '。']) && !["e.g.", "i.e.", "vs."].contains(&end) {
            found.push(String::new());
        }
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

fn words(sentence: &str) -> usize {
    sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// The sentences of a text that are too long, each with the number of its words.
fn long(text: &str) -> Vec<String> {
    let counted = sentences(text).into_iter().map(|sentence| (words(&sentence), sentence));
    counted
        .filter(|(words, _)| *words > WORDS_MAX)
        .map(|(words, text)| format!("{words} words: {text}"))
        .collect()
}

fn long_in_page(path: &str, page: &str) -> Vec<String> {
    let said = |block: &Block| {
        long(&block.text).into_iter().map(|text| format!("{path}:{}: {text}", block.line)).collect()
    };
    blocks(page).iter().flat_map::<Vec<String>, _>(said).collect()
}

fn pages() -> Vec<String> {
    let mut pages = ["README.md", "queue/README.md", "status/README.md", "src/ARCHITECTURE.md"]
        .map(str::to_owned)
        .to_vec();
    for folder in ["docs", "protocol"] {
        for entry in fs::read_dir(root().join(folder)).expect("a folder of the repository") {
            let name = entry.expect("an entry").file_name().into_string().expect("a name in UTF-8");
            if name.ends_with(".md") {
                pages.push(format!("{folder}/{name}"));
            }
        }
    }
    pages
}

/// All texts of a command's help, each with the place that it is at.
fn help(command: &clap::Command, path: &str) -> Vec<(String, String)> {
    let path = format!("{path} {}", command.get_name()).trim_start().to_owned();
    let own = [
        command.get_about(),
        command.get_long_about(),
        command.get_after_help(),
        command.get_after_long_help(),
    ];
    let mut texts: Vec<_> =
        own.into_iter().flatten().map(|text| (format!("{path} --help"), text.to_string())).collect();
    for argument in command.get_arguments() {
        let place = format!("{path} --help, {}", argument.get_id());
        let own = [argument.get_help(), argument.get_long_help()];
        texts.extend(own.into_iter().flatten().map(|text| (place.clone(), text.to_string())));
        let values = argument.get_possible_values();
        texts.extend(values.iter().filter_map(|value| Some((place.clone(), value.get_help()?.to_string()))));
    }
    texts.extend(command.get_subcommands().flat_map(|inner| help(inner, &path)));
    texts
}

/// A text of a help. Its indented rows are examples, each with what it says on the right.
fn long_in_help(place: &str, text: &str) -> Vec<String> {
    let rows = text
        .lines()
        .map(|row| if row.starts_with("  ") { format!("\n{}\n", row.trim()) } else { row.to_owned() });
    let page: String = rows.map(|row| row + "\n").collect();
    let said = blocks(&page).into_iter().flat_map(|block| long(&block.text));
    said.map(|text| format!("{place}: {text}")).collect()
}

#[test]
fn no_sentence_of_a_page_is_long() {
    let pages = pages();
    for (path, _) in EXEMPT {
        let page = fs::read_to_string(root().join(path)).expect("an exempt page is there");
        assert!(!long_in_page(path, &page).is_empty(), "{path} has no long sentence: it is no longer exempt");
    }
    let held = pages.iter().filter(|path| !EXEMPT.iter().any(|(exempt, _)| exempt == path));
    let read = |path: &String| long_in_page(path, &fs::read_to_string(root().join(path)).expect("a page"));
    super::complain(&held.flat_map(read).collect::<Vec<_>>());
}

#[test]
fn no_sentence_of_the_help_is_long() {
    let texts = help(&tasuki::ui::cli::command(), "");
    assert!(texts.len() > 150, "{}", texts.len());
    super::complain(&texts.iter().flat_map(|(place, text)| long_in_help(place, text)).collect::<Vec<_>>());
}

#[test]
fn a_long_sentence_is_found_wherever_it_stands() {
    let long = |count: usize| "word ".repeat(count - 1) + "word.";
    let many = long(WORDS_MAX + 1);
    for page in [
        format!("# Title\n\nFine. {many} Fine.\n"),
        format!("- fine\n- {many}\n"),
        format!("1. {many}\n"),
        format!("| a | {many} |\n"),
        format!("## {many}\n"),
        format!("It goes on\nin two rows: {}\n", long(WORDS_MAX - 4)),
        format!("```sh\ncode\n```\n{many}\n"),
        format!("A `span. Of` {}\n", long(WORDS_MAX - 1)),
        format!("A [link. Of](https://a.b/c) {}\n", long(WORDS_MAX - 1)).replace("link. Of", "link of"),
    ] {
        let found = long_in_page("p.md", &page);
        assert_eq!(found.len(), 1, "{page}");
        assert!(found[0].contains("word.") && found[0].starts_with("p.md:"), "{found:?}");
    }
    assert_eq!(long_in_page("p.md", &format!("a\n\nb {many}"))[0].split(' ').next(), Some("p.md:3:"));
    let just = long(WORDS_MAX);
    for page in [
        just.clone(),
        format!("{just} {just}"),
        format!("{just}\n\n{just}"),
        format!("- {just}\n- {just}\n"),
        format!("| {just} | {just} |"),
        format!("(\"{just}\") {just}"),
        format!("```\n{many}\n```\n"),
        format!("text\n\n    {many}\n"),
        format!("`{many}` is one word.\n"),
    ] {
        assert_eq!(long_in_page("p.md", &page), [""; 0], "{page}");
    }
}

#[test]
fn a_long_sentence_of_a_help_is_found() {
    let many = "word ".repeat(WORDS_MAX + 1);
    let command = |text: &str| {
        let inner = clap::Command::new("inner").arg(clap::Arg::new("it").long("it").help(text.to_owned()));
        help(&clap::Command::new("outer").subcommand(inner), "")
    };
    let found = |text: &str| {
        command(text).iter().flat_map(|(place, text)| long_in_help(place, text)).collect::<Vec<_>>()
    };
    assert!(found(&many)[0].starts_with("outer inner --help, it: 31 words"), "{:?}", found(&many));
    assert_eq!(found(&format!("Examples:\n{}", "  outer inner word word word\n".repeat(WORDS_MAX))), [""; 0]);
    assert_eq!(found(&format!("Examples:\n  outer inner\n\n{many}")).len(), 1);
}
