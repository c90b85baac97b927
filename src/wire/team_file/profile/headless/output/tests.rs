//! What the programs print, as the versions in `tests/support/clis.list` do.

use super::super::verdict::OneShotEnded;
use super::*;
use crate::wire::team_file::profile::built_in_profiles;

fn read(provider: &str, stdout: &str) -> ReadOutput {
    let profiles = built_in_profiles();
    profiles[provider].headless.clone().expect("its one-shot command").read(stdout.as_bytes())
}

#[test]
fn records_are_found_among_other_lines_however_they_are_written() {
    let found = |text: &str| records(text).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    assert_eq!(found("{\"a\":1}\n{\"b\":\"襷\"}"), r#"{"a":1} {"b":"襷"}"#);
    assert_eq!(found("Loaded.\n{\n  \"a\": [\n    1\n  ]\n}\nbye {\"c\":1}\n"), r#"{"a":[1]}"#);
    assert_eq!(found("[{\"a\":1},{\"b\":2}]\r\n{ broken\n[] {\"c\":3}"), r#"{"a":1} {"b":2} {"c":3}"#);
    assert_eq!(found(""), "");
    assert_eq!(found(&"[".repeat(1 << 20)), "");
}

/// What each answers, what it took, or why it failed, in a line.
fn shown(provider: &str, stdout: &str) -> String {
    let ReadOutput { answer, failed, tokens, cost_usd } = read(provider, stdout);
    format!("{answer:?} {failed:?} {tokens:?} {cost_usd:?}")
}

const ANSWER: &str = "\"# A plan\\n\\n1. 襷をつなぐ 🎽\" None Some(30)";

#[test]
fn claude_says_whether_it_failed() {
    let usage = r#""usage":{"input_tokens":4,"cache_creation_input_tokens":3,"cache_read_input_tokens":3,"output_tokens":20,"service_tier":"standard"},"modelUsage":{"claude-opus-5-5":{"inputTokens":10,"outputTokens":20,"costUSD":0.00044}}"#;
    let well = format!(
        r##"{{"stop_reason":"end_turn","session_id":"46a1405f","total_cost_usd":0.00044,{usage},"is_error":false,"subtype":"success","result":"# A plan\n\n1. 襷をつなぐ 🎽","type":"result"}}"##
    );
    assert_eq!(shown("claude", &well), format!("{ANSWER} Some(0.00044)"));
    // With `verbose` in its settings it prints all that came before, too.
    let verbose = format!(
        r#"[{{"type":"system","subtype":"init"}},{{"type":"assistant","message":{{"content":[{{"type":"text","text":"no"}}],"usage":{{"input_tokens":1}}}}}},{well}]"#
    );
    assert_eq!(shown("claude", &verbose), format!("{ANSWER} Some(0.00044)"));
    let error = r#"{"total_cost_usd":0,"usage":{"input_tokens":0,"output_tokens":0},"terminal_reason":"api_error","is_error":true,"subtype":"success","api_error_status":400,"result":"API Error: 400 The stub takes no such thing","type":"result"}"#;
    assert_eq!(
        shown("claude", error),
        r#""" Some("API Error: 400 The stub takes no such thing") Some(0) Some(0.0)"#
    );
    let turns = r#"{"type":"result","subtype":"error_max_turns","is_error":true,"errors":[],"num_turns":3}"#;
    assert_eq!(shown("claude", turns), r#""" Some("error_max_turns") None None"#);
}

#[test]
fn codex_has_its_last_message_and_may_try_again() {
    let begin = "{\"type\":\"thread.started\",\"thread_id\":\"01a2\"}\n{\"type\":\"turn.started\"}\n";
    let said = |text: &str| {
        let item = serde_json::json!({"id": "item_0", "type": "agent_message", "text": text});
        format!("{}\n", serde_json::json!({"type": "item.completed", "item": item}))
    };
    let tool = "{\"type\":\"item.completed\",\"item\":{\"id\":\"item_1\",\"type\":\"command_execution\",\"command\":\"ls\",\"text\":\"x\"}}\n";
    let error = r#"{"type":"error","message":"{\"error\":{\"message\":\"The stub takes no such thing\",\"type\":\"invalid_request_error\"}}"}"#;
    let end = "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":10,\"cached_input_tokens\":4,\"output_tokens\":20,\"reasoning_output_tokens\":7}}\n";
    let (first, last) = (said("First I look."), said("# A plan\n\n1. 襷をつなぐ 🎽"));
    let well = format!("{begin}{first}{tool}{error}\n{last}{end}");
    assert_eq!(shown("codex", &well), format!("{ANSWER} None"));
    let failed = error.replace("\"error\",\"message\":", "\"turn.failed\",\"error\":{\"message\":") + "}";
    let bad = format!("{begin}{first}{error}\n{failed}\n");
    assert_eq!(shown("codex", &bad), r#""First I look." Some("The stub takes no such thing") None None"#);
}

#[test]
fn gemini_counts_by_model_and_tells_errors_beside() {
    let tokens = r#"{"api":{"totalRequests":1},"tokens":{"prompt":10,"candidates":5,"total":15},"roles":{"main":{"tokens":{"total":15}}}}"#;
    let well = format!(
        "Loaded cached credentials.\n{{\n  \"session_id\": \"4b58\",\n  \"response\": \"# A plan\\n\\n1. 襷をつなぐ 🎽\",\n  \"stats\": {{\"models\": \
         {{\"gemini-2.5-flash\": {tokens}, \"gemini-2.5-pro\": {tokens}}}, \"tools\": {{\"totalCalls\": 0}}}}\n}}"
    );
    assert_eq!(shown("gemini", &well), format!("{ANSWER} None"));
    let error = "_ApiError: {\"error\":{}}\n    at async Turn.run (file:///x.js:1:2) {\n  status: 400\n}\n{\n  \"session_id\": \"f9\",\n  \"error\": {\n    \
                 \"type\": \"Error\",\n    \"message\": \"{\\\"error\\\":{\\\"code\\\":400,\\\"message\\\":\\\"The stub takes no such thing\\\"}}\",\n    \"code\": 400\n  }\n}\n";
    let gemini = built_in_profiles()["gemini"].headless.clone().expect("its one-shot command");
    let ended = OneShotEnded::Badly("exit 144".into());
    let verdict = gemini.judge(&ended, b"", error.as_bytes());
    assert_eq!(verdict.text, "`gemini` ended with exit 144: The stub takes no such thing");
}

#[test]
fn qwen_takes_an_error_for_an_answer() {
    let output = |result: &str| {
        let usage = r#"{"input_tokens":10,"output_tokens":20,"cache_read_input_tokens":0,"total_tokens":30}"#;
        format!(
            r#"[{{"type":"system","subtype":"init"}},{{"type":"assistant","message":{{"content":[{{"type":"text","text":{result}}}],"usage":{usage}}}}},{{"type":"result","subtype":"success","is_error":false,"result":{result},"usage":{usage},"permission_denials":[]}}]"#
        )
    };
    assert_eq!(shown("qwen", &output(r##""# A plan\n\n1. 襷をつなぐ 🎽""##)), format!("{ANSWER} None"));
    let error = shown("qwen", &output(r#""[API Error: 400 The stub takes no such thing]""#));
    assert_eq!(error, r#""" Some("[API Error: 400 The stub takes no such thing]") Some(30) None"#);
    assert_eq!(read("qwen", &output(r#""It said [API Error: 400]""#)).failed, None);
}

#[test]
fn opencode_adds_up_its_steps() {
    let step = r#"{"type":"step_finish","timestamp":1,"part":{"reason":"stop","type":"step-finish","tokens":{"total":15,"input":5,"output":5,"reasoning":1,"cache":{"write":1,"read":3}},"cost":0.5}}"#;
    let text = r##"{"type":"text","timestamp":1,"sessionID":"ses","part":{"type":"text","text":"# A plan\n\n1. 襷をつなぐ 🎽","time":{"start":1,"end":2}}}"##;
    let well = format!("{{\"type\":\"step_start\",\"part\":{{}}}}\n{step}\n{text}\n{step}\n");
    assert_eq!(shown("opencode", &well), format!("{ANSWER} Some(1.0)"));
    let error = r#"{"type":"error","timestamp":1,"sessionID":"ses","error":{"name":"APIError","data":{"message":"The stub takes no such thing","statusCode":400}}}"#;
    assert_eq!(shown("opencode", error), r#""" Some("The stub takes no such thing") None None"#);
}

#[test]
fn a_text_is_the_answer_as_a_terminal_would_show_it() {
    let said = "\u{1b}[?25l\u{1b}[2K⠙ \r\u{1b}[2K# 計画\r\n\r\n  - `a`\u{1b}[0m\n\u{1b}]0;title\u{7}\n";
    assert_eq!(read("ollama", said).answer, "# 計画\n\n  - `a`");
    assert_eq!(plain("\n \n    code\n"), "    code");
    let thought = "Thinking...\nThe user wants 計画.\n...done thinking.\n\n# 計画\nThinking...\n";
    assert_eq!(read("ollama", thought).answer, "# 計画\nThinking...");
    assert_eq!(read("ollama", "Thinking...\nno end").answer, "Thinking...\nno end");
    assert_eq!(read("ollama", " \n").answer, "");
}

#[test]
fn half_a_character_is_replaced_and_an_answer_that_shows_nothing_is_none() {
    let said = |text: &str| read("gemini", &format!(r#"{{"response": "{text}"}}"#)).answer;
    assert_eq!(said(r"a\ud83cb \uD83C\uDFBD c\udfbd"), "a\u{fffd}b 🎽 c\u{fffd}");
    assert_eq!(said(r"\\ud800 \\\ud800"), "\\ud800 \\\u{fffd}");
    assert_eq!(said(r"\ud83c\ud83c\udfbd"), "\u{fffd}🎽");
    assert_eq!(said(r"襷 \ud83"), "", "that is no JSON");
    assert_eq!(said(r"\u200b\ufeff\n \u2060"), "");
    assert_eq!(read("ollama", "\u{200b}\u{feff}\n").answer, "");
    assert_eq!(read("ollama", "\u{200b}襷").answer, "\u{200b}襷");
    assert_eq!(with_whole_characters("\\".to_owned() + "あ"), "\\あ");
}
