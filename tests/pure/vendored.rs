//! What of the web page is others' work is what they published: each file has the digest that is listed for it.

use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn vendored_files_are_those_that_were_published() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ui/web/page/vendor");
    let listed = std::fs::read_to_string(folder.join("digests.txt")).unwrap();
    let listed: BTreeMap<&str, &str> = listed
        .lines()
        .map(|line| line.split_once("  ").map(|(digest, file)| (file, digest)).unwrap())
        .collect();
    assert!(!listed.is_empty());
    for (file, digest) in &listed {
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let hex: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, *digest, "{file}");
    }
    for entry in std::fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_code = Path::new(&name).extension().is_some_and(|end| end == "js" || end == "mjs");
        assert!(!is_code || listed.contains_key(name.as_str()), "{name} has no digest");
    }
}

#[test]
fn the_page_makes_no_html_of_texts() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ui/web/page")];
    let mut looked_at = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.extend((!path.ends_with("vendor")).then_some(path));
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for banned in
                ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "style=\""]
            {
                let is_page = path.extension().is_some_and(|end| end == "js" || end == "html");
                assert!(!is_page || !text.contains(banned), "{banned} in {}", path.display());
            }
            looked_at += 1;
        }
    }
    assert!(looked_at > 10);
}
