//! What a message is about, in a line.

use crate::engine::words::MessageId;
use crate::wire::message::view::MessageView;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Longest title in characters: a line of a wide screen.
const TITLE_CHARS: usize = 120;

/// The first line that says anything, cut where it is long; control characters become spaces.
pub(super) fn title_of(content: &str) -> String {
    let line = content.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line = line.trim_start_matches('#').trim_start();
    let mut title: String =
        line.chars().take(TITLE_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().nth(TITLE_CHARS).is_some() {
        title.pop();
        title.push('…');
    }
    title
}

/// Lines at the beginning of a content in which it may differ from others, and their longest length in characters.
const LINES_KEPT: usize = 40;

/// How contents begin, so that parts of one task are told apart that begin with the same words.
#[derive(Debug, Default)]
pub(super) struct Beginnings(HashMap<MessageId, Vec<String>>);

impl Beginnings {
    /// Keeps how a content begins.
    pub(super) fn keep(&mut self, id: &MessageId, content: Option<&str>) {
        let lines = content.unwrap_or_default().lines().filter(|line| !line.trim().is_empty());
        self.0.insert(id.clone(), lines.take(LINES_KEPT).map(title_of).collect());
    }

    /// Gives parts of one task whose titles are the same the first line in which they differ. Those that say the same are told
    /// apart by who has them.
    pub(super) fn tell_apart(&self, views: &mut [MessageView]) {
        let mut same: BTreeMap<(MessageId, String), Vec<usize>> = BTreeMap::new();
        for (at, view) in views.iter().enumerate() {
            if let (Some(parent), Some(title)) = (&view.parent, &view.title) {
                same.entry((parent.clone(), title.clone())).or_default().push(at);
            }
        }
        for together in same.into_values().filter(|together| together.len() > 1) {
            let lines: Vec<&[String]> =
                together.iter().map(|at| self.0.get(&views[*at].id).map_or(&[][..], Vec::as_slice)).collect();
            let mut seen: HashMap<&str, usize> = HashMap::new();
            for line in
                lines.iter().flat_map(|lines| lines.iter().map(String::as_str).collect::<BTreeSet<_>>())
            {
                *seen.entry(line).or_default() += 1;
            }
            let own =
                |lines: &[String]| lines.iter().find(|line| seen.get(line.as_str()) == Some(&1)).cloned();
            let titles: Vec<Option<String>> = lines.iter().map(|lines| own(lines)).collect();
            for (at, own) in together.into_iter().zip(titles) {
                if let Some(view) = views.get_mut(at) {
                    let whose = view.agent.as_ref().unwrap_or(&view.to);
                    let title = view.title.as_deref().unwrap_or_default();
                    view.title = Some(own.unwrap_or_else(|| format!("{title} ({whose})")));
                }
            }
        }
    }
}
