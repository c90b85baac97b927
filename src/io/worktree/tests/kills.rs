//! Everything dies at the n-th call of git, before it or right after it, for each n; and is asked for again.

use super::*;

/// Puts a git before the real one that, from its n-th call on, is killed and answers nothing, as if the daemon had died with it.
/// With `after`, the n-th call still does its work. Without `limit`, all is as ever.
pub(super) struct Deaths<'w>(pub(super) &'w World);

impl<'w> Deaths<'w> {
    pub(super) fn of(world: &'w mut World) -> Self {
        world.run(
            r#"G=$(command -v git); mkdir $D/bin; cat > $D/bin/git <<END
#!/bin/sh
echo x >> $D/calls
limit=\$(cat $D/limit 2>/dev/null || echo 0); calls=\$(wc -l < $D/calls)
[ \$limit -gt 0 ] && [ \$calls -ge \$limit ] || exec $G "\$@"
[ -e $D/after ] && [ \$calls -eq \$limit ] && $G "\$@" >/dev/null 2>&1
kill -9 \$\$
END
chmod +x $D/bin/git"#,
        );
        let path = format!("{}/bin:/usr/local/bin:/usr/bin:/bin", world.folder.path().display());
        world.env.insert("PATH".to_owned(), path);
        Self(world)
    }

    pub(super) fn at(&self, call: usize, after: bool) {
        let mark = if after { "touch $D/after" } else { "rm -f $D/after" };
        self.0.run(&format!("rm -f $D/calls; echo {call} > $D/limit; {mark}"));
    }

    pub(super) fn never(&self) {
        self.0.run("rm -f $D/limit");
    }
}

#[tokio::test]
async fn whichever_call_dies_a_worktree_is_made_once() {
    let parts = from(&["agent/one", "agent/two"]);
    for after in [false, true] {
        // Right after a call is right before the next one: both ways together meet every moment once.
        for call in (1..).step_by(2) {
            let mut world = World::new();
            world.run("branch agent/one 1 one; branch agent/two 2 two");
            let deaths = Deaths::of(&mut world);
            let repository = deaths.0.repository().await;
            deaths.at(call, after);
            let first = repository.make(&name("agent/a"), "x", &parts).await;
            deaths.never();
            let made = repository.make(&name("agent/a"), "x", &parts).await;
            let made = made.unwrap_or_else(|error| panic!("call {call}, after: {after}: {error}"));
            let world = deaths.0;
            assert_eq!(
                world.run_in(&made.path, "git status --porcelain; git ls-files"),
                "a\none\ntwo",
                "call {call}"
            );
            assert_eq!(made.base, world.run("git rev-parse agent/a"), "call {call}");
            let there = world.run("git worktree list | wc -l; ls .git/worktrees; find .git -name '*.lock'");
            assert_eq!(there, "2\nagent-a", "call {call}");
            if first.is_ok() {
                assert!(call > 8, "{call} calls only");
                break;
            }
        }
    }
}

#[tokio::test]
async fn whichever_call_dies_a_worktree_is_removed_once_and_comes_back() {
    for after in [false, true] {
        // Right after a call is right before the next one: both ways together meet every moment once.
        for call in (1..).step_by(2) {
            let mut world = World::new();
            let deaths = Deaths::of(&mut world);
            let (world, repository) = (deaths.0, deaths.0.repository().await);
            let made = repository.make(&name("agent/a"), "x", &[]).await.unwrap();
            world.run_in(&made.path, "echo b > b; git add .; git commit -qm b; git tag kept");
            let head = world.run("git rev-parse agent/a");
            deaths.at(call, after);
            let removed = repository.remove(&name("agent/a")).await;
            deaths.never();
            repository.remove(&name("agent/a")).await.unwrap_or_else(|error| panic!("call {call}: {error}"));
            assert_eq!(world.left(), "agent-a.json", "call {call}");
            assert_eq!(repository.trashed().unwrap().len(), 1, "call {call}");
            deaths.at(call, after);
            let first = repository.restore("agent/a").await;
            deaths.never();
            let back = match &first {
                Ok(back) => back.path.clone(),
                Err(_) => {
                    repository
                        .restore("agent/a")
                        .await
                        .unwrap_or_else(|error| panic!("call {call}: {error}"))
                        .path
                }
            };
            assert_eq!(
                world.run_in(&back, "git status --porcelain; git rev-parse HEAD"),
                head,
                "call {call}"
            );
            assert_eq!(repository.trashed().unwrap(), [], "call {call}");
            if removed.is_ok() && first.is_ok() {
                assert!(call > 10, "{call} calls only");
                break;
            }
        }
    }
}
