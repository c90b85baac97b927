//! Reasons that several have in common, each told once: what ails one role of a debate often ails all.

/// `qa, security: it is down; ops: it is slow`, in the order in which each reason came first.
pub fn grouped(told: impl IntoIterator<Item = (String, String)>) -> String {
    let groups: Vec<String> =
        alike(told).into_iter().map(|(names, why)| format!("{}: {why}", names.join(", "))).collect();
    groups.join("; ")
}

/// Each reason with the names of those who have it.
pub fn alike(told: impl IntoIterator<Item = (String, String)>) -> Vec<(Vec<String>, String)> {
    let mut groups: Vec<(Vec<String>, String)> = Vec::new();
    for (name, why) in told {
        match groups.iter_mut().find(|(_, known)| *known == why) {
            Some((names, _)) => names.push(name),
            None => groups.push((vec![name], why)),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn a_reason_that_many_have_is_told_once() {
        let told = [("qa", "it is down"), ("ops", "遅い"), ("dev", "it is down")];
        let told = told.map(|(name, why)| (name.to_owned(), why.to_owned()));
        assert_eq!(grouped(told), "qa, dev: it is down; ops: 遅い");
        assert_eq!(grouped([]), "");
    }
}
