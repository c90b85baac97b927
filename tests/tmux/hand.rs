//! A worker of a pane, as the loop sees it: orders go in, reports come out.

use crate::world::{SOON, World, file_until, row_after};
use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tasuki::daemon::inbox::{NEWS_MAX, News};
use tasuki::daemon::panes::orders::{
    Adopted, Launched, Launches, ORDERS_MAX, Order, PaneNews, PaneWord, Terms, Typed,
};
use tasuki::daemon::panes::worker as pane;
use tasuki::daemon::panes::worker::Start;
use tasuki::engine::input::{Report, Verdict};
use tasuki::engine::life::Turn;
use tasuki::engine::screen::doorbell::TurnKind;
use tasuki::engine::words::{Digest, MessageId, Token};
use tasuki::io::clock::Clock;
use tasuki::io::frames::Frames;
use tasuki::io::mux::Pane;
use tasuki::io::process;
use tasuki::wire::team_file::{Launch, Profile, Receipt};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

/// A worker, and the pane that it has taken over.
pub(crate) struct Hand {
    pub(crate) pane: Pane,
    pub(crate) tty: PathBuf,
    pub(crate) terms: watch::Sender<Terms>,
    pub(crate) launches: watch::Sender<Launches>,
    orders: mpsc::Sender<Order>,
    news: mpsc::Receiver<News>,
    /// Whether it was told that something waits.
    asked: Cell<bool>,
}

/// A program that needs no waiting.
pub(crate) fn fast() -> Profile {
    Profile {
        enter_after_ms: 0,
        quiet_ms: 20,
        echo_wait_ms: 10_000,
        receipt: Receipt::TtyRead,
        ready_quiet_ms: 0,
        ready_within_ms: 0,
        clear_key: Some("C-u".to_owned()),
        ..Profile::default()
    }
}

/// A first turn of this message.
pub(crate) fn turn(id: &str, token: &str) -> Typed {
    let line = format!("[tasuki] task {id} from user (token {token}): read {id}.yaml and do it.");
    let token = Some(Token::new(token).unwrap());
    Typed {
        id: MessageId::new(id).unwrap(),
        turn: Turn { number: 1, kind: TurnKind::Task, token, redelivered: false },
        line: line.into(),
        since: None,
        phrase: "PLAIN OK".into(),
        stood: 0,
        above: None,
    }
}

impl Hand {
    /// Runs a script that says `ready`, and has a worker take its pane over.
    pub(crate) async fn at(world: &World, name: &str, script: &str, profile: Profile) -> Self {
        let spec = world.spec(name, script);
        let (facts, pane) = world.start(&spec).await;
        row_after(&pane, "ready").await;
        let process = process::key_of(facts.pid).expect("it lives");
        let adopt = Some(Adopted { pane: facts.pane, process, tty: facts.tty.clone(), asks: None });
        let launched = Launched { agent: spec.tag.agent.clone(), nonce: spec.tag.nonce, adopt };
        let launch = Arc::new(Launch {
            argv: Vec::new(),
            cwd: PathBuf::new(),
            tree: None,
            env: Default::default(),
            system_prompt: None,
            unread_prompt: None,
            folder: PathBuf::new(),
            files: Default::default(),
            profile,
            provider: "plain".to_owned(),
            digest: Digest(0),
            active: String::new(),
        });
        let (orders, inbox) = mpsc::channel(ORDERS_MAX);
        let (news, heard) = mpsc::channel(NEWS_MAX);
        let (terms, of_all) = watch::channel(Terms { halted: false, person_quiet_ms: 0, history: 5_000 });
        let (key, phrase) = (String::new(), "PLAIN OK".to_owned());
        let tmux = world.tmux.clone();
        let frames = Frames::new(std::env::temp_dir().join("tasuki-no-frames"), Clock::start());
        let (launches, profiles) = watch::channel(Launches::default());
        let start = Start {
            launches: profiles,
            tmux,
            launched,
            launch,
            key,
            phrase,
            terms: of_all,
            orders: inbox,
            news,
            frames,
        };
        tokio::spawn(pane::work(start));
        let asked = Cell::new(false);
        Self { pane, tty: facts.tty, terms, launches, orders, news: heard, asked }
    }

    pub(crate) async fn give(&self, order: Order) {
        self.asked.set(self.asked.get() || matches!(order, Order::ProbeReadiness { .. }));
        self.orders.send(order).await.expect("the worker lives");
    }

    async fn any_word(&mut self) -> PaneWord {
        let news = timeout(SOON, self.news.recv()).await.expect("it says something").expect("it lives");
        let News::Pane(PaneNews { what, .. }) = news else { panic!("news of a pane: {news:?}") };
        what
    }

    /// What it says next, but for what it says of being free though nothing waits.
    async fn word(&mut self) -> PaneWord {
        loop {
            match self.any_word().await {
                PaneWord::Report(Report::Unready) => {}
                PaneWord::Report(Report::Ready { .. }) if !self.asked.get() => {}
                PaneWord::Report(Report::Ready { fresh }) => {
                    self.asked.set(false);
                    return PaneWord::Report(Report::Ready { fresh });
                }
                other => return other,
            }
        }
    }

    /// Whether it says by itself that its agent is free, or that this is not known any more; whatever else it reports is left out.
    pub(crate) async fn stands(&mut self) -> bool {
        loop {
            match self.any_word().await {
                PaneWord::Report(Report::Ready { .. }) => return true,
                PaneWord::Report(Report::Unready) => return false,
                _ => {}
            }
        }
    }

    /// What it reports next.
    pub(crate) async fn hears(&mut self) -> Report {
        loop {
            if let PaneWord::Report(report) = self.word().await {
                return report;
            }
        }
    }

    /// What it says became of the turn.
    pub(crate) async fn verdict(&mut self) -> Verdict {
        loop {
            if let Report::Delivery { verdict, .. } = self.hears().await {
                return verdict;
            }
        }
    }

    /// Waits until it has looked at its pane, and reported nothing.
    pub(crate) async fn looked(&mut self) {
        match self.word().await {
            PaneWord::Doing(_) => {}
            PaneWord::Report(report) => panic!("{report:?}"),
        }
    }

    /// Waits until something that was typed lies in the terminal unread.
    pub(crate) async fn until_unread(&self) {
        let waiting = async {
            while process::unread_input(&self.tty).unwrap() == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(SOON, waiting).await.expect("it arrives");
    }
}

/// What an agent has written into `lines` so far.
pub(crate) fn lines(world: &World) -> String {
    std::fs::read_to_string(world.end.folder.path().join("lines")).unwrap_or_default()
}

/// What is in `lines`, once it is all there.
pub(crate) async fn entered(world: &World, hand: &Hand, count: usize) -> String {
    let path = world.end.folder.path().join("lines");
    let whole = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count() >= count;
    String::from_utf8(file_until(&hand.pane, &path, whole).await).unwrap()
}
