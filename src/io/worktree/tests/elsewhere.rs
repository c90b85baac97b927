//! Two workspaces of one repository that have the same session: one alone works in its worktrees.

use super::*;
use crate::engine::flow::id::FlowId;

const DOCUMENT: &str = include_str!("../../../../tests/fixtures/session.json");

#[tokio::test]
async fn a_session_that_goes_on_in_a_workspace_above_or_below_is_seen_and_one_that_was_moved_is_itself() {
    let world = World::new();
    world.run("mkdir sub");
    let id = FlowId::new("a1b2c3d4-e5f6-7890-abcd-ef1234567890").unwrap();
    let (root, owner) = (world.root(), format!("{id} task-1"));
    let open = DOCUMENT.replace("/path/to/repo", root.to_str().unwrap());
    let of = async |place: &Path| {
        let workspace = Workspace::at(place).unwrap();
        Repository::find(&root, &workspace, &world.env, Clock::start()).await.unwrap()
    };
    for (first, second, branch) in [("", "sub", "agent/a"), ("sub", "", "agent/b")] {
        let (first, second) = (world.at(first), world.at(second));
        let (branch, documents) = (name(branch), first.join(".tasuki/sessions"));
        of(&first).await.make(&branch, &owner, &[]).await.unwrap();
        std::fs::create_dir_all(&documents).unwrap();
        let document = documents.join(format!("{id}.json"));
        std::fs::write(&document, &open).unwrap();
        let other = of(&second).await;
        assert_eq!(
            other.session_elsewhere(&id).unwrap().map(|at| at.canonicalize().unwrap()),
            Some(first.clone())
        );
        let told = other.make(&branch, &owner, &[]).await.unwrap_err().to_string();
        assert!(told.contains(" session cancel ") && told.contains("once that is over there"), "{told}");
        assert_eq!(of(&first).await.session_elsewhere(&id).unwrap(), None, "it is its own");
        std::fs::write(&document, open.replace("\"Active\"", "\"Completed\"")).unwrap();
        other.make(&branch, &owner, &[]).await.unwrap();
    }
    // A link stands where it was.
    std::fs::write(root.join(format!("sub/.tasuki/sessions/{id}.json")), &open).unwrap();
    of(&world.at("sub")).await.make(&name("agent/c"), &owner, &[]).await.unwrap();
    world.run("mv sub moved; ln -s moved sub");
    of(&world.at("moved")).await.make(&name("agent/c"), &owner, &[]).await.unwrap();
}
