//! Why a drop, a request or a file is refused: one code a class, with its cause and its cure.

use crate::engine::form::as_text;

/// The key that says what is to be checked before a task counts as done.
pub(in crate::engine) const EXPECT: &str = "expect";

/// A refusal, as the sender will read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The class.
    pub code: Code,
    /// Which document of the file, from 0.
    pub document: usize,
    /// The key that is at fault, for finding its line.
    pub field: Option<&'static str>,
    /// That key as it was written, where it means nothing.
    pub unknown_key: Option<Box<str>>,
    /// Line in the file, from 1, where it is known.
    pub line: Option<u64>,
    /// Column in the line, from 1, where it is known.
    pub column: Option<u64>,
    /// What is wrong, in a sentence with the value that is at fault.
    pub why: String,
}

impl Refusal {
    /// A refusal without a place.
    #[must_use]
    pub fn new(code: Code, why: impl Into<String>) -> Self {
        Self { code, document: 0, field: None, unknown_key: None, line: None, column: None, why: why.into() }
    }

    /// What to do about it. A command that is not its giver's to give has no key at fault, and no token would help.
    #[must_use]
    pub fn cure(&self) -> &'static str {
        match self.code {
            Code::NotYours if self.field.is_none() => {
                "let its owner or a person do it, or allow it with `may:` in the team file"
            }
            Code::NotYours if self.field == Some("to") => {
                "name a member of the team, or leave `to` out: an agent is hired then"
            }
            Code::NotYours if self.field == Some("master") => "name a member of the team",
            Code::BadProof if self.field == Some("key") => {
                "unset `TASUKI_AGENT_KEY`, or restart the agent that has it: tasuki gives each agent its key when it starts it"
            }
            Code::BadProof if self.field == Some("from") => {
                "leave `from` out: a message is from whoever its key (`TASUKI_AGENT_KEY`), token or drop zone belongs to"
            }
            Code::UnknownAgent if self.field == Some("from") => {
                "name the agent that sends it, as `tasuki status` lists it; leave `from` out if a person sends it"
            }
            Code::Cycle if self.field == Some("parent") => {
                "leave `parent` out, or name a message that is not itself a part of this one"
            }
            Code::Cycle if self.field == Some("reports_to") => "let it report to somebody else, or to `user`",
            Code::OutOfRange if self.field == Some(EXPECT) => "expect a command that looks for them all",
            Code::WrongType | Code::UnknownWord if self.field == Some(EXPECT) => {
                "write it as in `expect: {commit: true, files: [src/lib.rs], command: test}`; protocol/README.md describes each key"
            }
            Code::UnknownWord if self.field == Some("hire") => {
                "name a profile that has a command, or an agent of the team file whose command it gets, as in `hire: {like: NAME}`"
            }
            Code::WrongStage if self.field == Some("into") => {
                "check something else out there, or name a branch that is checked out nowhere"
            }
            Code::UnknownDependency if self.field == Some("worktree_strategy") => {
                "write `worktree_strategy: New`, or let it depend on a task that has a worktree of its own, and share that"
            }
            code => code.cure(),
        }
    }

    /// How the key that is at fault is called.
    #[must_use]
    pub fn key(&self) -> Option<String> {
        self.unknown_key.as_deref().or(self.field).map(str::to_owned)
    }

    /// The same, at this key.
    #[must_use]
    pub fn at(mut self, field: &'static str) -> Self {
        self.field = Some(field);
        self
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $cure:literal;)*) => {
        /// The classes of bad input. The word is part of the contract: programs may match on it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The word in `code:`.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// What to do about it.
            #[must_use]
            pub fn cure(self) -> &'static str {
                match self { $(Self::$name => $cure,)* }
            }
        }

    };
}

codes! {
    /// The file has no bytes.
    Empty = "empty", "write at least `to:` and `content:`";
    /// Only white space or comments.
    Blank = "blank", "write at least `to:` and `content:`";
    /// Not YAML.
    Syntax = "syntax", "correct the YAML at the line shown: indent with spaces, not tabs; text with `: `, ` #` or a quote in it belongs in quotes or below `content: |`";
    /// It ends in the middle of a value.
    CutOff = "cut-off", "close what is open there; a program should write to a name that begins with a dot and rename the whole file";
    /// Not UTF-8.
    NotUtf8 = "not-utf8", "save the file as UTF-8";
    /// UTF-16 or UTF-32.
    Utf16 = "utf16", "save the file as UTF-8";
    /// A NUL byte.
    Nul = "nul", "remove the NUL byte";
    /// A raw control byte.
    ControlByte = "control-byte", "write control characters as escapes in double quotes, or remove them";
    /// Over 1 MiB.
    TooLarge = "too-large", "put the text into a file of its own and name its path in the content";
    /// Nested deeper than 32.
    TooDeep = "too-deep", "nest no deeper than 32 levels";
    /// More than 10,000 nodes.
    TooManyNodes = "too-many-nodes", "use at most 10,000 nodes; put data into a file of its own";
    /// An anchor or an alias.
    Anchor = "anchor", "write the value out; text that begins with `&` or `*` belongs in quotes or below `content: |`";
    /// A merge key.
    MergeKey = "merge-key", "write the keys out instead of `<<`";
    /// A tag.
    Tag = "tag", "remove the `!tag`; text that begins with `!` belongs in quotes or below `content: |`";
    /// More than 100 documents, or more than may be open.
    TooManyDocuments = "too-many-documents", "drop at most 100 documents in a file, and no more than `max_open`";
    /// A key twice.
    DuplicateKey = "duplicate-key", "keep one of the two";
    /// The document is not a map.
    NotAMap = "not-a-map", "write `key: value` lines at the top level";
    /// A key that is not text.
    KeyNotText = "key-not-text", "use plain words as keys";
    /// A key over 64 bytes.
    KeyTooLong = "key-too-long", "use keys of at most 64 bytes";
    /// Metadata over 64 KiB.
    MetadataTooLarge = "metadata-too-large", "put large data into a file and name its path";
    /// A bad id.
    BadId = "bad-id", "use `[a-z0-9][a-z0-9._-]{0,63}`, or leave `id` out and one is made";
    /// An id of more than 64 bytes.
    IdTooLong = "id-too-long", "use at most 64 bytes, or leave `id` out and one is made";
    /// The id is known with other content.
    IdConflict = "id-conflict", "use a new id, or leave `id` out and one is made";
    /// `to` is missing.
    ToMissing = "to-missing", "add `to:` with the name of an agent, an alias, a pool, or `user`";
    /// No such agent.
    UnknownAgent = "unknown-agent", "use one of the names in the team file";
    /// A name that is not a name.
    BadName = "bad-name", "use a name that `tasuki status` lists, in small letters as there; a name is `[a-z0-9][a-z0-9_-]{0,63}`";
    /// A value of the wrong type.
    WrongType = "wrong-type", "see protocol/README.md for the type of each field";
    /// A word that is not in the list.
    UnknownWord = "unknown-word", "use one of the words listed";
    /// A number out of range.
    OutOfRange = "out-of-range", "use a value within the range given";
    /// A timestamp that is none.
    BadTimestamp = "bad-timestamp", "use RFC 3339, such as 2026-02-02T12:00:00Z";
    /// A duration that is none.
    BadDuration = "bad-duration", "use a duration with its unit, such as 90s, 30m or 2h; write 5m for five minutes; days are the longest unit";
    /// A deadline in the past.
    DeadlinePast = "deadline-past", "use a deadline in the future, or leave it out";
    /// No content.
    ContentEmpty = "content-empty", "write the task into `content:`";
    /// Content over 1 MiB.
    ContentTooLarge = "content-too-large", "put the text into a file of its own and name its path in the content";
    /// `in_reply_to` names no known message.
    UnknownReply = "unknown-reply", "name the id of the task that this answers";
    /// A result or error without the task that it answers.
    ReplyMissing = "reply-missing", "add `in_reply_to:` with the id of the task, or the token of your turn";
    /// A task of an agent that has several, without the one that it is a part of.
    ParentMissing = "parent-missing", "add `parent:` with the id of the task that it is a part of, or the token of your turn";
    /// A status that a drop cannot have.
    BadStatus = "bad-status", "leave `status` out, or use `pending` (completed or failed on a result or error)";
    /// A symbolic link.
    Symlink = "symlink", "drop a file, not a link";
    /// More than one name.
    HardLink = "hard-link", "drop a copy that has no other hard link";
    /// A FIFO, a socket or a device.
    NotAFile = "not-a-file", "drop a regular file";
    /// A folder.
    Folder = "folder", "drop the files in it, not the folder";
    /// Another user's file.
    NotOurs = "not-ours", "drop files as the user who runs the daemon";
    /// Half of a surrogate pair, which is no character.
    LoneSurrogate = "lone-surrogate", "write the character itself, or both halves of its escape";
    /// Its writer still has it open.
    StillOpen = "still-open", "close the file; or write it under a name that begins with a dot and rename it when it is whole";
    /// The system will not let it be moved or read.
    Stuck = "stuck", "fix what the system reports; the file stays where it is and is tried again";
    /// All may write it.
    WorldWritable = "world-writable", "chmod o-w the file before dropping it";
    /// May not be read.
    Unreadable = "unreadable", "chmod u+r the file";
    /// A name that cannot be used.
    BadFileName = "bad-file-name", "use a name of at most 200 bytes of UTF-8 without control characters that does not begin with a dash";
    /// A character that must not be in a name.
    BadCharacters = "bad-characters", "remove invisible and control characters from ids and names";
    /// The content cannot be typed inline.
    NotInline = "not-inline", "send one printable line of at most 1,000 bytes that does not begin with / ! # @ - or a combining character, or use `delivery: doorbell`";
    /// The sender may not task that agent.
    NoRoute = "no-route", "send to one of the targets listed, or open a route in the team file";
    /// The proof belongs to somebody else.
    BadProof = "bad-proof", "use the token of your own newest turn";
    /// A result or error that nobody may close the task with.
    NotYours = "not-yours", "use the token of the turn in which you were asked; for what is not yours, ask its owner, or allow it with `may:` in the team file";
    /// Too many hands.
    TooManyHops = "too-many-hops", "answer instead of passing it on; a person's message starts at zero, and `max_hops` in the team file is the limit";
    /// Messages that wait for one another.
    Cycle = "cycle", "remove the circle from `depends_on`";
    /// Agents that would wait for one another.
    WaitCycle = "wait-cycle", "do the work yourself, or answer the one who waits for you";
    /// A dependency that nobody knows.
    UnknownDependency = "unknown-dependency", "name ids that were accepted before, or drop all in one file";
    /// It depends on more messages than one may.
    GraphTooLarge = "graph-too-large", "let it depend on at most 64 messages; one of them may depend on others";
    /// It needs a git repository.
    NoRepository = "no-repository", "make one with `git init` and a first commit, or leave `worktree_strategy` out";
    /// Too many open messages or children.
    TooMany = "too-many", "wait until some are done";
    /// As many messages are open as there may be.
    NoRoom = "no-room", "send it again when some are done; a file in queue/ waits by itself";
    /// The disk is nearly full.
    DiskFull = "disk-full", "make room on the disk; a file in queue/ waits by itself";
    /// What has to be known of it cannot be read just now.
    Unavailable = "unavailable", "see what `tasuki doctor` says, and send it again under the same id; a file in queue/ waits by itself";
    /// A path that leaves the agent's folder.
    PathOutside = "path-outside", "use paths inside the agent's folder, relative to it";
    /// A command that the team file does not allow.
    CommandNotAllowed = "command-not-allowed", "name one of `commands:` in the team file, or add it there: `commands: {test: [cargo, test]}`";
    /// Evidence for what is no task.
    ExpectWithoutTask = "expect-without-task", "leave `expect:` out: only a task is checked";
    /// A branch name that git would misread.
    BadBranch = "bad-branch", "use letters, digits, `-`, `_`, `/` and `.`";
    /// Too many in a minute.
    RateExceeded = "rate-exceeded", "send fewer messages; the limit is in the team file";
    /// The same content bounced.
    Bounce = "bounce", "stop sending the same content back and forth";
    /// The message is not open any more.
    NotOpen = "not-open", "`tasuki why ID` tells what became of a message, `tasuki log` shows the last ids";
    /// Somebody or something has the name already.
    NameTaken = "name-taken", "choose another name; `tasuki status` lists the agents";
    /// As many agents are hired as may be.
    RosterFull = "roster-full", "dismiss one that has done its work: `tasuki agent dismiss NAME`";
    /// An agent of the team file is not dismissed.
    NotHired = "not-hired", "remove it from the team file, or stop it: `tasuki agent stop NAME`";
    /// Nothing to do in that state.
    WrongStage = "wrong-stage", "see `tasuki why ID`";
    /// The plan of a debate that an open session carries out already.
    HandedOver = "handed-over", "see the session with `tasuki session list`; `--again`, or `again` in the body, begins another one";
}

as_text!(
    Code,
    "the code",
    |text| {
        let known = Code::ALL.iter().find(|code| code.word() == text);
        known.copied().ok_or("is not known to this version")
    },
    word
);
