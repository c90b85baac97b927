//! Lines that look like a claim with the phrase `CODING OK` and the token `k7qf2m`, and are none.

/// What they look like.
pub(crate) const MARKER: &str = "CODING OK k7qf2m";

/// Sentences that name the marker.
pub(crate) fn prose() -> Vec<String> {
    [
        "I will say {m} when done",
        "When all of it is done I will print {m} on a line of its own",
        "{m} is what I am going to print in the end",
        "Then, when the tests are green: {m} and nothing more",
        "My phrase and token are {m}, so that you know",
        "You asked for {m}? I am not there yet",
        "not yet {m}",
        "Not {m}!",
        "OK: {m} (soon)",
        "the line {m} was printed by somebody else, not by me",
        "終わったら {m} と言います",
        "全部の作業が終わったら、合言葉の {m} を表示しますので、お待ちください",
        "👩‍💻 says {m} 🎉",
        "TESTING OK and {m}",
    ]
    .map(|line| line.replace("{m}", MARKER))
    .into()
}

/// The marker with something before or after it.
pub(crate) fn surrounded() -> Vec<String> {
    let mut lines = Vec::new();
    for sign in BEFORE {
        lines.extend([format!("{sign}{MARKER}"), format!("{sign} {MARKER}"), format!("  {sign} {MARKER}")]);
    }
    for sign in AFTER {
        lines.extend([format!("{MARKER}{sign}"), format!("{MARKER} {sign}")]);
    }
    for (open, close) in
        [("\"", "\""), ("'", "'"), ("(", ")"), ("| ", " |"), ("<", ">"), ("│ a │ ", " │"), ("“", "”")]
    {
        lines.push(format!("{open}{MARKER}{close}"));
    }
    lines
}

/// Other phrases, and other tokens.
pub(crate) fn alike() -> Vec<String> {
    let mut lines: Vec<String> = ALIKE.iter().map(|line| (*line).to_owned()).collect();
    for at in 0..6 {
        for letter in ["0", "z", "", "K", "０", "77"] {
            let mut token: Vec<String> = "k7qf2m".chars().map(String::from).collect();
            token[at] = letter.to_owned();
            lines.push(format!("CODING OK {}", token.concat()));
        }
    }
    lines
}

const BEFORE: [&str; 75] = [
    "+",
    "-",
    ">",
    ">>",
    ">>>",
    "$",
    "#",
    "%",
    "~",
    "|",
    "\"",
    "'",
    "(",
    "[",
    "{",
    "<",
    "//",
    "--",
    "=>",
    "->",
    "⎿",
    "└",
    "├",
    "│",
    "┃",
    "▎",
    "▌",
    "!",
    "?",
    ",",
    ";",
    ":",
    "=",
    "_",
    "/",
    "\\",
    "@",
    "&",
    "^",
    "1.",
    "12",
    "12:",
    "a)",
    "❯",
    "›",
    "»",
    "✗",
    "✓",
    "■",
    "◦",
    "✻",
    "$ echo",
    "echo",
    "user@host:~$",
    "In [1]:",
    "src/lib.rs:12:",
    "token:",
    "phrase:",
    "print(",
    "<b>",
    "“",
    "『",
    "[x]",
    "- [ ]",
    "…",
    "...and",
    "•• ",
    "● ●",
    "\u{200B}",
    "\u{FEFF}",
    "\u{202E}",
    "[1m",
    "\u{1B}[1m",
    "\u{1B}]0;",
    "[0m",
];

const AFTER: [&str; 37] = [
    "\"",
    "'",
    ")",
    "]",
    "}",
    ">",
    ",",
    ";",
    ":",
    "!",
    "?",
    "!",
    "…",
    "|",
    "│",
    "┃",
    "_",
    "~",
    "/",
    "\\",
    "(done)",
    "<- this",
    "%",
    "$",
    "x",
    "0",
    "と言う",
    "』",
    "”",
    "</b>",
    "[0m",
    "\u{1B}[0m",
    "\u{7}",
    "\u{200B}",
    "👍",
    "# ok",
    "&& exit",
];

const ALIKE: [&str; 39] = [
    "TESTING OK k7qf2m",
    "GRAND BOSS OK k7qf2m",
    "OK k7qf2m",
    "CODING k7qf2m",
    "CODING OK",
    "k7qf2m",
    "k7qf2m CODING OK",
    "CODING OK CODING OK k7qf2m",
    "CODING OK k7qf2m k7qf2m",
    "CODING NOT OK k7qf2m",
    "coding ok k7qf2m",
    "Coding Ok k7qf2m",
    "CODING_OK k7qf2m",
    "CODING-OK k7qf2m",
    "CODINGOK k7qf2m",
    "CODING OKk7qf2m",
    "CODING OK-k7qf2m",
    "CODING OK (k7qf2m)",
    "CODING OK \"k7qf2m\"",
    "**CODING OK** k7qf2m",
    "CODING OK token k7qf2m",
    "CODING OK: k7qf2m",
    "СODING OK k7qf2m",
    "CODING ОK k7qf2m",
    "ＣＯＤＩＮＧ　ＯＫ k7qf2m",
    "CODING OK ｋ７ｑｆ２ｍ",
    "COD\u{AD}ING OK k7qf2m",
    "CODING\u{200B} OK k7qf2m",
    "CODING OK k7qf\u{200B}2m",
    "CODING OK k7qf2m\u{301}",
    "CODING\u{1B}[10GOK k7qf2m",
    "C O D I N G O K k7qf2m",
    "CODING OK k 7 q f 2 m",
    "CODING OK\n\nk7qf2m",
    "CODING OK\nk7qf2m",
    "CODING\nOK k7qf2m",
    "CODING OK k7q\nf2m",
    "CODING OK k7qf2m\\",
    "CODING OK {token}",
];
