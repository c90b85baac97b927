//! A model that is not there: the APIs of the coding agents' providers on loopback, with answers from a script.
//!
//! One server speaks Anthropic Messages, OpenAI Responses and Chat Completions, Gemini and Ollama, in streams and whole. Each
//! turn takes the next rule of the script; what an agent asks beside its turns (titles, its own memory) gets a short answer
//! and takes none. Everything that was asked is kept, to be looked at by the test.

mod anthropic;
mod chat;
mod flow;
mod gemini;
mod ollama;
mod responses;
pub(crate) mod script;
mod server;

pub(crate) use script::{Answer, Rule};

use serde_json::Value;
use std::net::TcpListener;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};

/// What the stub speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    Anthropic,
    Responses,
    Chat,
    Gemini,
    OllamaChat,
    OllamaGenerate,
}

/// One request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) api: Api,
    /// The path with its query.
    pub(crate) path: String,
    /// Asked beside the turns: a title, a look at the agent's own memory.
    pub(crate) aside: bool,
    /// Whether the answer has to come in a stream.
    pub(crate) stream: bool,
    /// The key that was shown, without `Bearer`.
    pub(crate) key: Option<String>,
    pub(crate) body: Value,
}

impl Asked {
    /// What its user has said in this conversation, in order: typed lines, and no output of tools.
    pub(crate) fn user_texts(&self) -> Vec<String> {
        let talks = ["messages", "input", "contents"].iter().filter_map(|key| self.body[*key].as_array());
        let said = talks.flatten().filter(|message| message["role"] == "user");
        let mut texts = Vec::new();
        for message in said {
            if let Some(text) = message["content"].as_str() {
                texts.push(text.to_owned());
            }
            let parts = message["content"].as_array().or_else(|| message["parts"].as_array());
            texts.extend(
                parts.into_iter().flatten().filter_map(|part| part["text"].as_str().map(str::to_owned)),
            );
        }
        texts
    }

    /// The tokens of the doorbells that it was given in this conversation, in order.
    pub(crate) fn tokens(&self) -> Vec<String> {
        let texts = self.user_texts();
        let doorbells =
            texts.iter().flat_map(|text| text.match_indices("[tasuki] ").map(|(at, _)| &text[at..]));
        let token = |line: &str| {
            let line = line.lines().next()?;
            line.split_once("(token ")?.1.split_once(')').map(|(token, _)| token.to_owned())
        };
        doorbells.filter_map(token).collect()
    }
}

/// A server with a script on a free port of loopback; it ends when this is dropped.
pub(crate) struct Stub {
    port: u16,
    asked: watch::Receiver<Vec<Asked>>,
    orders: mpsc::Sender<server::Order>,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Stub {
    /// Starts it; each turn takes the next of these.
    pub(crate) fn start(script: Vec<Rule>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        listener.set_nonblocking(true).expect("a listener of tokio's");
        let (told, asked) = watch::channel(Vec::new());
        let (orders, taken) = mpsc::channel(16);
        let (end, ended) = oneshot::channel();
        let served = orders.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.expect("a runtime");
            runtime.spawn(server::desk(script, told, taken));
            runtime.spawn(server::serve(listener, served));
            // An error means that whoever holds the other end is gone.
            let _ = runtime.block_on(ended);
            // Answers that hang go with their tasks.
            runtime.shutdown_timeout(Duration::ZERO);
        });
        Self { port, asked, orders, end: Some(end), thread: Some(thread) }
    }

    /// From now on the turns take these.
    pub(crate) fn script(&self, script: Vec<Rule>) {
        self.orders.try_send(server::Order::Script(script)).expect("the stub lives and has room");
    }

    /// `http://127.0.0.1:PORT`: the base of Anthropic, Gemini and Ollama.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The base of OpenAI's two APIs.
    pub(crate) fn openai_url(&self) -> String {
        format!("{}/v1", self.url())
    }

    /// Everything that was asked so far, in order.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.borrow().clone()
    }

    /// The turns among them.
    pub(crate) fn turns(&self) -> Vec<Asked> {
        self.asked().into_iter().filter(|asked| !asked.aside).collect()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // It failed with a message of its own, if it did.
            let _ = thread.join();
        }
    }
}
