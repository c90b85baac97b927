//! Secrets on screens, whole, wrapped and cut.

use super::*;

/// Made up, and put together here so that no scanner takes it for a real one.
fn google_key() -> String {
    "AIza".to_owned() + "SyB0123456789abcdefghijklmnopqrstuv"
}

fn rows(redactor: &Redactor, width: usize, rows: &[&str]) -> Vec<String> {
    let shown = redactor.rows(rows, width);
    let columns = |row: &str| row.chars().filter_map(char::width).sum::<usize>();
    for (before, after) in rows.iter().zip(&shown) {
        assert_eq!(columns(before), columns(after), "{before}");
    }
    shown
}

#[test]
fn names_of_secrets_are_told_from_others() {
    for name in [
        "GEMINI_API_KEY",
        "OPENAI_APIKEY",
        "GITHUB_TOKEN",
        "github_pat",
        "AWS_SECRET_ACCESS_KEY",
        "DB_PASSWORD",
        "PGPASSWORD",
        "MYSQL_PWD",
        "ANTHROPIC_AUTH_TOKEN",
        "NPM_AUTH",
        "BASIC_AUTH",
        "TOKEN_2",
        "MY_SECRETS",
        "TASUKI_AGENT_KEY",
        "DEPLOY_KEYS",
        "HTTP_COOKIE",
    ] {
        assert!(is_secret_name(name), "{name}");
    }
    for name in [
        "PATH",
        "PWD",
        "OLDPWD",
        "HOME",
        "GIT_AUTHOR_NAME",
        "SSH_AUTH_SOCK",
        "XAUTHORITY",
        "KEYBOARD",
        "AUTH_METHOD",
        "AWS_SHARED_CREDENTIALS_FILE",
        "XKB_KEYMAP",
    ] {
        assert!(!is_secret_name(name), "{name}");
    }
}

#[test]
fn a_known_value_is_hidden_whole_wrapped_and_cut() {
    let value = "p9Qz-Lr7w.襷X2vT_0ab";
    let redactor = Redactor::new([("MY_PASSWORD", value), ("EDITOR", "vim-of-mine")], |_| false);
    assert_eq!(
        redactor.text(&format!("it is {value}, vim-of-mine")),
        "it is ********************, vim-of-mine"
    );
    // Wrapped in a box, and in one that is narrower than a piece.
    let (head, tail) = value.split_at(5);
    let boxed =
        rows(&redactor, 20, &["╭────────╮", &format!("│ {head}  │"), &format!("│ {tail} │"), "╰────────╯"]);
    assert_eq!(boxed, ["╭────────╮", "│ *****  │", "│ *************** │", "╰────────╯"]);
    let narrow: Vec<String> = value.chars().map(|c| format!("│ {c}")).collect();
    let narrow: Vec<&str> = narrow.iter().map(String::as_str).collect();
    assert!(rows(&redactor, 3, &narrow).iter().all(|row| row.chars().all(|c| "│ *".contains(c))));
    // A part of it, from its beginning, its end and its middle.
    for part in [&value[..9], &value[value.len() - 8..], &value[1..10]] {
        assert_eq!(redactor.text(&format!("so: {part}…")), format!("so: {}…", "*".repeat(part.len())));
    }
    assert_eq!(
        redactor.known(&format!("a\n{value}\npassword: hunter22")),
        "a\n********************\npassword: hunter22"
    );
}

#[test]
fn what_is_no_secret_is_not_learned() {
    let path = "/home/某/key.pem";
    let variables = [
        ("A_KEY", path),
        ("B_TOKEN", "short"),
        ("C_SECRET", "----------------"),
        ("D_TOKEN", "https://u.example/xyz"),
        ("E_TOKEN", "/p9QzLr7w"),
    ];
    let redactor = Redactor::new(variables, |there| there == path);
    for text in [path, "short", "------------------", "https://example.org", "日本語のテキスト"] {
        assert_eq!(redactor.text(text), text);
    }
    assert_eq!(redactor.text("at https://u.example/xyz"), "at https://*************");
    assert_eq!(redactor.text("/p9QzLr7w"), "*********", "nothing stands there");
}

#[test]
fn what_looks_like_a_secret_is_hidden_where_it_is_wrapped_too() {
    let (redactor, key) = (Redactor::default(), google_key());
    assert_eq!(redactor.text(&format!("key {key} ok")), format!("key {} ok", "*".repeat(39)));
    let (head, tail) = key.split_at(20);
    let boxed = [&*format!("│ {head} │"), &*format!("│ {tail} and more │")];
    assert_eq!(rows(&redactor, 80, &boxed), ["│ ******************** │", "│ ******************* and more │"]);
    let plain = [&*format!("  the key {head}"), &*format!("  {tail}"), "  next"];
    assert_eq!(
        rows(&redactor, 32, &plain),
        ["  the key ********************", "  *******************", "  next"]
    );
    assert_eq!(rows(&redactor, 20, &["a password: hunter2", "Go on?"]), ["a password: *******", "** on?"]);
    assert_eq!(rows(&redactor, 80, &["a password: hunter2", "Go on?"]), ["a password: *******", "Go on?"]);
    for (text, shown) in [
        ("postgres://me:s3cr3t@host/db", "postgres://me:******@host/db"),
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer ************"),
        (r#"{"api_key": "xyzxyz", "b": 1}"#, r#"{"api_key": "******", "b": 1}"#),
    ] {
        assert_eq!(redactor.text(text), shown);
    }
}

#[test]
fn a_private_key_is_hidden_with_all_its_rows_and_nothing_below() {
    let body = "MIIEpAIBAAKCAQEA7Yl4".to_owned() + &"aB3".repeat(15)[..44];
    let (begin, end) = ("-----BEGIN RSA ".to_owned() + "PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
    let redactor = Redactor::default();
    let shown = rows(&redactor, 80, &["$ cat key", &begin, &body, "aB3=", end, "Go on? 1. Yes"]);
    assert_eq!((&*shown[0], &*shown[5]), ("$ cat key", "Go on? 1. Yes"));
    assert!(shown[1..5].iter().all(|row| row.chars().all(|c| "* ".contains(c))), "{shown:?}");
    // Its beginning has left the screen.
    assert!(rows(&redactor, 80, &["text", &body, "more"])[1].starts_with("****"));
}

#[test]
fn prose_and_code_stay_as_they_are() {
    let redactor = Redactor::new([("GEMINI_API_KEY", &*google_key())], |_| false);
    for text in [
        "basic functionality of the bearer notifications",
        "let token = parse(text)?;",
        "token = self.token",
        "password: none",
        "Enter your API key:\n> 1. Yes",
        "used 4000 tokens",
        "[tasuki] task msg-1 from user (token k7qf2m): read it",
        "d41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e",
        "│ AIza is how they begin │",
        "",
    ] {
        assert_eq!(redactor.text(text), text);
    }
}
