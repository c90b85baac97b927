//! How one agent is started: its command, folder, environment and system prompt, all placeholders filled; and what that comes to
//! once it is started and given a task.

use super::command::{CheckedCommand, Fault};
use super::env::{Env, allowed_only};
use super::file::AgentEntry;
use super::fill::{Filled, PORT, Values, fill};
use super::finding::{Book, IS_FOLDER, NO_PROGRAM, NO_SCRIPT, Place};
use super::outside::{Found, Outside};
use super::own_tree::{OwnTree, Placed, place_of};
use super::profile::Profile;
use super::prompt::{self, Way};
use super::values::DeliveryWord;
use super::{check, doorbells};
use crate::engine::screen::doorbell::Words;
use crate::engine::words::{Digest, MessageId};
use crate::wire::layout::{Surroundings, Workspace};
use sha2::{Digest as _, Sha256};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The system prompt in an agent's folder.
const PROMPT_FILE: &str = "system_prompt.md";
/// Where tasks lie, seen from the workspace.
const ACTIVE: &str = "queue/active";

/// Everything that is needed to start an agent and to type to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Program and arguments; no shell reads them.
    pub argv: Vec<String>,
    /// The folder it works in.
    pub cwd: PathBuf,
    /// The worktree that it has to itself; the folder is in it, and is there when that is made.
    pub tree: Option<OwnTree>,
    /// Its whole environment but what tmux sets in a pane (`TERM`, `TMUX`, `TMUX_PANE`, `PWD` and the like), and `TASUKI_AGENT_KEY`, which the
    /// daemon mints for each start.
    pub env: Env,
    /// What it is told before its first task, placeholders filled.
    pub system_prompt: Option<String>,
    /// The file that its lines tell it to read, where the program is not given its system prompt: as it can open it.
    pub unread_prompt: Option<String>,
    /// A folder of its own, which is made before it starts.
    pub folder: PathBuf,
    /// Files to be written there, by name.
    pub files: BTreeMap<String, String>,
    /// What is known about programs of its kind.
    pub profile: Profile,
    /// Name of that profile.
    pub provider: String,
    /// Changes when the program must be started anew to follow the team file: with its command, folder, system prompt
    /// or variables, and not with what it merely inherits.
    pub digest: Digest,
    /// The folder of the tasks as this agent is told it: relative where it works in the workspace itself.
    pub active: String,
}

impl Launch {
    /// Where a doorbell tells this agent to find its task.
    #[must_use]
    pub fn task_path(&self, id: &MessageId) -> String {
        format!("{}/{id}.yaml", self.active)
    }

    /// What a doorbell tells this agent to read for a new task: its system prompt first, where that does not come to it otherwise.
    #[must_use]
    pub fn first_path(&self, id: &MessageId) -> String {
        doorbells::after_prompt(self.unread_prompt.as_deref(), &self.task_path(id))
    }

    /// Whether a port has to be found for it.
    #[must_use]
    pub fn wants_port(&self) -> bool {
        self.argv.iter().chain(self.env.values()).chain(self.files.values()).any(|text| text.contains(PORT))
    }

    /// The same with this port. Without one it is as it was, and whoever looks for a port there finds none.
    #[must_use]
    pub fn with_port(&self, port: Option<u16>) -> Self {
        let Some(port) = port.filter(|_| self.wants_port()) else { return self.clone() };
        let put = |text: &String| text.replace(PORT, &port.to_string());
        let (argv, env) =
            (self.argv.iter().map(put), self.env.iter().map(|(name, text)| (name.clone(), put(text))));
        let files = self.files.iter().map(|(name, text)| (name.clone(), put(text)));
        Self { argv: argv.collect(), env: env.collect(), files: files.collect(), ..self.clone() }
    }

    /// Why its program cannot be started, with the cure, where it is not there.
    #[must_use]
    pub fn missing(&self, outside: &dyn Outside) -> Option<String> {
        let (program, fault) = self.command(outside).fault(outside)?;
        let cure = "correct `command:` in the team file";
        let place = if program.contains('/') { "" } else { " on its PATH" };
        Some(match fault {
            Fault::IsFolder => format!("`{program}` {IS_FOLDER}: {cure}"),
            Fault::NotExecutable => format!(
                "`{program}` may not be executed: `chmod +x` it, or name its interpreter first in `command:` (`[bash, FILE]`)"
            ),
            Fault::Absent => format!("{NO_PROGRAM}{program}`{place}: install it, or {cure}"),
        })
    }

    /// That there is no such script as a shell or another interpreter is to run, with the cure.
    #[must_use]
    pub fn missing_script(&self, outside: &dyn Outside) -> Option<String> {
        let (program, script) = self.command(outside).missing_script(outside)?;
        Some(format!(
            "{NO_SCRIPT}{script}` for `{program}` to run: write it, or correct `command:` in the team file"
        ))
    }

    fn command(&self, outside: &dyn Outside) -> CheckedCommand<'_> {
        let path = self.env.get("PATH").map_or("", String::as_str);
        CheckedCommand { argv: &self.argv, cwd: there(&self.cwd, self.tree.as_ref(), outside), path }
    }
}

/// The folder an agent works in, or, until its worktree is made, where it would work without one.
fn there<'a>(cwd: &'a Path, tree: Option<&'a OwnTree>, outside: &dyn Outside) -> &'a Path {
    tree.filter(|_| outside.look(cwd) != Found::Folder).map_or(cwd, |tree| &tree.beside)
}

/// What all agents of a team share.
pub(super) struct Ground<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) around: &'a Surroundings,
    pub(super) inherited: &'a Env,
    pub(super) outside: &'a dyn Outside,
    /// Programs that were found, each with the `PATH` and the folder from which it was sought: a hundred agents of one kind
    /// look once.
    pub(super) found: RefCell<BTreeSet<(String, String, PathBuf)>>,
}

/// A system prompt as it was read.
struct Prompt {
    path: String,
    text: String,
    place: Place,
}

impl Ground<'_> {
    /// The launch of one agent. What is wrong is in `book`; what comes back then is not to be used.
    pub(super) fn launch(
        &self,
        name: &str,
        phrase: &str,
        agent: &AgentEntry,
        profile: &Profile,
        words: &Words,
        book: &mut Book,
    ) -> Launch {
        let root = self.workspace.root_text();
        let exe = self.around.exe.to_string_lossy();
        let folder = self.workspace.agent_folder(name);
        let own_folder = folder.to_string_lossy();
        let model = agent.model.as_ref().map(|given| given.value.as_str());
        let permission_mode = agent.permission_mode.as_ref().map(|given| given.value.as_str());
        let mut values = Values {
            tasuki: &exe,
            name,
            phrase,
            root,
            prompt: None,
            folder: &own_folder,
            model,
            permission_mode,
        };
        let prompt = self.prompt(agent, &values, &folder, book);
        if let Some(prompt) = &prompt {
            values.prompt = Some((&prompt.text, &prompt.path));
            tell_phrase(prompt, phrase, book);
        }
        let Placed { cwd, tree } = self.placed(name, agent, book);
        let is_set = |name: &str| self.is_set(agent, profile, name);
        let assembled = prompt::build_command(agent, profile, &is_set, book);
        let place = agent.command.as_ref().map_or(agent.provider.place, |command| command.place);
        let argv = self.argv(&assembled.words, place, &values, book);
        let env = self.env(agent, profile, (&values, assembled.sets_env), book);
        let mut launch = Launch {
            digest: digest(&assembled.words, &cwd, agent, profile, &values),
            active: self.active(&cwd),
            argv,
            cwd,
            tree,
            env,
            system_prompt: None,
            unread_prompt: None,
            files: files(profile, prompt.as_ref(), (&values, agent.provider.place), book),
            folder: folder.clone(),
            profile: profile.clone(),
            provider: agent.provider.value.clone(),
        };
        self.warn_if_absent(launch.command(self.outside), place, book);
        if let Some(prompt) = prompt {
            if matches!(assembled.way, Way::Lost(_)) {
                launch.unread_prompt = self.named(agent, &launch, name, words);
            }
            prompt::tell_lost(assembled.way, launch.unread_prompt.is_some(), prompt.place, book);
            launch.system_prompt = Some(prompt.text);
        }
        launch
    }

    fn placed(&self, name: &str, agent: &AgentEntry, book: &mut Book) -> Placed {
        let beside = self.cwd(agent, book);
        place_of((name, agent), beside, (self.workspace.root(), self.outside), book)
    }

    /// Whether an agent's environment has this variable, wherever it comes from.
    fn is_set(&self, agent: &AgentEntry, profile: &Profile, name: &str) -> bool {
        let inherits = agent.inherit_env.unwrap_or(true) && self.inherited.contains_key(name);
        inherits || profile.env.contains_key(name) || agent.env.iter().flatten().any(|(own, _)| own == name)
    }

    /// How a line can name the file of a prompt that comes to the agent in no other way: if a line is typed, and has room for it.
    fn named(&self, agent: &AgentEntry, launch: &Launch, name: &str, words: &Words) -> Option<String> {
        let is_typed = !matches!(agent.delivery, Some(DeliveryWord::Inline));
        let below = format!(".tasuki/agents/{name}/{PROMPT_FILE}");
        let path = if launch.cwd == self.workspace.root() {
            below
        } else {
            format!("{}/{below}", self.workspace.root_text().trim_end_matches('/'))
        };
        Some(path).filter(|path| is_typed && doorbells::have_room(words, path, &launch.active))
    }

    fn prompt(
        &self,
        agent: &AgentEntry,
        values: &Values<'_>,
        folder: &Path,
        book: &mut Book,
    ) -> Option<Prompt> {
        let given = agent.system_prompt.as_ref()?;
        let path = self.workspace.root().join(&given.value);
        match self.outside.prompt(&path) {
            Ok(template) => {
                let filled = filled(&template, values, given.place, book);
                let path = folder.join(PROMPT_FILE).to_string_lossy().into_owned();
                Some(Prompt { path, text: filled, place: given.place })
            }
            Err(why) => {
                let why = format!("the system prompt {} {why}", path.display());
                book.wrong(given.place, why, "name a text file; the path is relative to the team file");
                None
            }
        }
    }

    fn cwd(&self, agent: &AgentEntry, book: &mut Book) -> PathBuf {
        let root = self.workspace.root();
        let Some(given) = &agent.cwd else { return root.to_path_buf() };
        let folder = root.join(&given.value);
        let text = folder.to_str().filter(|text| !text.chars().any(char::is_control));
        match self.outside.folder(&folder).filter(|_| text.is_some()) {
            Some(folder) => folder,
            None => {
                let why = format!("{} is not a folder", folder.display());
                book.wrong(
                    given.place,
                    why,
                    "make it, or name another; the path is relative to the team file",
                );
                folder
            }
        }
    }

    fn argv(&self, template: &[String], place: Place, values: &Values<'_>, book: &mut Book) -> Vec<String> {
        template.iter().for_each(|word| check::word(word, place, book));
        if template.first().is_none_or(String::is_empty) {
            let cure = "add `command: [program, argument]` to the agent; its provider has none of its own";
            book.wrong(place, "there is no program to start", cure);
        }
        template.iter().map(|word| filled(word, values, place, book)).collect()
    }

    fn env(
        &self,
        agent: &AgentEntry,
        profile: &Profile,
        (values, sets_env): (&Values<'_>, bool),
        book: &mut Book,
    ) -> Env {
        let whole = agent.inherit_env.unwrap_or(true);
        let mut env = if whole { self.inherited.clone() } else { allowed_only(self.inherited) };
        let own = agent.env.iter().flatten().map(|(name, at)| (name, &at.value, at.place));
        let profiles = profile.env.iter().map(|(name, value)| (name, value, agent.provider.place));
        for (name, value, place) in profiles.chain(own) {
            match value {
                Some(value) => env.insert(name.clone(), filled(value, values, place, book)),
                None => env.remove(name),
            };
        }
        for (name, template) in profile.prompt.env.iter().filter(|_| sets_env) {
            let filled = noticed(template.filled(values), agent.provider.place, book);
            env.insert(name.clone(), filled);
        }
        env.insert("TASUKI_ROOT".into(), self.workspace.root_text().into());
        env.insert("TASUKI_AGENT".into(), values.name.into());
        env.extend(values.prompt.map(|(_, file)| ("TASUKI_SYSTEM_PROMPT".to_owned(), file.to_owned())));
        env
    }

    /// Tells of a program, or of a script that it is to run, which is not there.
    fn warn_if_absent(&self, command: CheckedCommand<'_>, place: Place, book: &mut Book) {
        let program = command.argv.first().cloned().unwrap_or_default();
        let sought = (program, command.path.to_owned(), command.cwd.to_path_buf());
        let is_known = self.found.borrow().contains(&sought);
        if !is_known && command.warn(self.outside, place, book) {
            self.found.borrow_mut().insert(sought);
        }
        command.warn_of_script(self.outside, place, book);
    }

    fn active(&self, cwd: &Path) -> String {
        if cwd == self.workspace.root() {
            return ACTIVE.into();
        }
        format!("{}/{ACTIVE}", self.workspace.root_text().trim_end_matches('/'))
    }
}

/// What is written into the agent's folder: its system prompt, and what its profile makes of that.
fn files(
    profile: &Profile,
    prompt: Option<&Prompt>,
    (values, place): (&Values<'_>, Place),
    book: &mut Book,
) -> BTreeMap<String, String> {
    let Some(prompt) = prompt else { return BTreeMap::new() };
    let own = [(PROMPT_FILE.to_owned(), prompt.text.clone())];
    let more = profile.prompt.files.iter();
    own.into_iter()
        .chain(more.map(|(name, template)| (name.clone(), noticed(template.filled(values), place, book))))
        .collect()
}

fn filled(template: &str, values: &Values<'_>, place: Place, book: &mut Book) -> String {
    noticed(fill(template, values), place, book)
}

/// The text, and what was noticed in it is told.
fn noticed(filled: Filled, place: Place, book: &mut Book) -> String {
    if let Some(missing) = filled.missing.first() {
        let (what, cure) = match *missing {
            "model" => ("a model", "add `model:`, or remove the placeholder"),
            "permission_mode" => ("a permission mode", "add `permission_mode:`, or remove the placeholder"),
            _ => ("a system prompt", "add `system_prompt:` with a file, or remove the placeholder"),
        };
        book.wrong(place, format!("`{{{missing}}}` stands for {what}, but this agent has none"), cure);
    }
    for (word, near) in filled.odd {
        let cure = format!("write `{{{near}}}` if that is meant");
        book.odd(place, format!("`{{{word}}}` is passed on as it is"), cure);
    }
    filled.text
}

/// An agent that was never told its phrase can never say it.
fn tell_phrase(prompt: &Prompt, phrase: &str, book: &mut Book) {
    if !prompt.text.contains(phrase) {
        let why = format!("this system prompt does not tell the agent its phrase, `{phrase}`");
        book.odd(prompt.place, why, "write `{phrase}` where the agent is told what to print when it is done");
    }
}

/// Quotes stand around the parts, so that no two launches run together into one text. The path of tasuki itself is not in
/// it: an upgrade is no reason to end an agent.
fn digest(
    template: &[String],
    cwd: &Path,
    agent: &AgentEntry,
    profile: &Profile,
    values: &Values<'_>,
) -> Digest {
    let own: BTreeMap<&String, &Option<String>> =
        agent.env.iter().flatten().map(|(name, at)| (name, &at.value)).collect();
    let Values { name, phrase, root, prompt, model, permission_mode, .. } = values;
    let inherits = agent.inherit_env.unwrap_or(true);
    let whom = (name, phrase, root, prompt, model, permission_mode);
    let way = prompt.map(|_| &profile.prompt);
    of_text(&format!("{:?}", (template, cwd, own, &profile.env, inherits, whom, way)))
}

/// Changes when those must be started anew that are made of a profile alone.
pub(super) fn digest_of_profile(profile: &Profile) -> Digest {
    let Profile { command, prompt, model_args, permission_args, env, .. } = profile;
    of_text(&format!("{:?}", (command, prompt, model_args, permission_args, env)))
}

fn of_text(text: &str) -> Digest {
    let hash = Sha256::digest(text.as_bytes());
    Digest(hash.iter().take(16).fold(0, |sum, byte| (sum << 8) | u128::from(*byte)))
}
