//! A person who changes the team file: somebody goes and comes back, is in another pool, or is started otherwise. While the
//! daemon is dead, too.

use crate::engine::words::AgentName;
use crate::io::workspace::{Surroundings, Workspace};
use crate::wire::team_file::Settings;

/// Everybody.
pub(super) const TEAM: &str = "\
session: sim
tmux_socket: sim
settings: {retention: 3650d, default_timeout: 60s}
agents:
  - {name: boss, provider: plain, command: [cat], marker: BOSS OK, aliases: [gb]}
  - {name: ann, reports_to: boss, provider: plain, command: [cat], marker: ANN OK, pool: [crew]}
  - {name: bob, reports_to: boss, provider: plain, command: [cat], marker: BOB OK, pool: [crew]}
  - {name: eve, reports_to: ann, provider: plain, command: [cat], marker: EVE OK}
";

/// How the team changes: somebody goes, leaves the pool, is started otherwise, or has to be reached otherwise.
pub(super) const CHANGES: &[(&str, &str)] = &[
    ("  - {name: eve, reports_to: ann, provider: plain, command: [cat], marker: EVE OK}\n", ""),
    (", marker: BOB OK, pool: [crew]", ", marker: BOB OK"),
    ("command: [cat], marker: BOB OK", "command: [cat, -u], marker: BOB OK"),
    ("marker: EVE OK", "marker: EVE READY, timeout: 5s"),
    (
        "aliases: [gb]}\n",
        "aliases: [gb]}\n  - {name: hal, reports_to: boss, provider: plain, command: [cat], marker: HAL OK}\n",
    ),
    ("aliases: [gb]", "aliases: [gb, ida]"),
];

/// What the team file says in turn. The first is the whole team, which is there in peace: whoever is asked to do something
/// then can be reached.
pub(super) struct Teams {
    pub(super) all: Vec<Settings>,
}

impl Teams {
    /// The whole team, and what becomes of its file by these replacements.
    pub(super) fn of(
        workspace: &Workspace,
        around: &Surroundings,
        whole: &str,
        changes: &[(&str, &str)],
    ) -> Self {
        let texts = changes.iter().map(|(from, to)| {
            assert!(whole.contains(from), "{from} is in the team file");
            whole.replace(from, to)
        });
        let file = workspace.root().join("tasuki.yaml");
        let load = |text: String| {
            std::fs::write(&file, text).expect("the team file");
            Settings::load(workspace, around).expect("a team").settings
        };
        // The last one stays in the file.
        let changed: Vec<Settings> = texts.map(load).collect();
        let all = std::iter::once(load(whole.to_owned())).chain(changed).collect();
        Self { all }
    }

    /// Whether somebody is in a pool, now or at another time.
    pub(super) fn may_have_in_pool(&self, pool: &AgentName, who: &AgentName) -> bool {
        let has = |settings: &Settings| settings.team.pools.get(pool).is_some_and(|pool| pool.contains(who));
        self.all.iter().any(has)
    }

    /// The whole team.
    pub(super) fn whole(&self) -> &Settings {
        &self.all[0]
    }
}
