//! The figures of a run, kept as JSON beside the plot that is drawn of them: it can be drawn again without a new run.

use super::draw;
use super::machine;
use super::numbers::Spread;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Where the plots of the documentation are.
const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/plots");
/// Where those of this run go; nowhere unless it was asked for.
static PLACE: OnceLock<PathBuf> = OnceLock::new();

/// A picture: panels below each other.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Plot {
    /// Of its files, without an ending.
    pub(crate) name: String,
    pub(crate) title: String,
    /// What it was measured on.
    pub(crate) machine: String,
    pub(crate) panels: Vec<Panel>,
}

/// Lines over one pair of axes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Panel {
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) lines: Vec<Line>,
    /// What is wanted.
    pub(crate) goal: Option<Mark>,
}

/// What is told along an axis, with its unit.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Axis {
    pub(crate) name: String,
    /// Whether each step is ten times the one before.
    pub(crate) log: bool,
}

/// One of several that are compared.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
}

/// A figure, and how far those that it is the median of lie apart.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A level.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub(crate) name: String,
    pub(crate) y: f64,
}

impl Axis {
    /// One whose steps are equal.
    pub(crate) fn even(name: &str) -> Self {
        Self { name: name.to_owned(), log: false }
    }

    /// One of powers of ten.
    pub(crate) fn log(name: &str) -> Self {
        Self { name: name.to_owned(), log: true }
    }
}

impl Point {
    /// A single figure.
    pub(crate) fn alone(x: f64, y: f64) -> Self {
        Self { x, y, low: y, high: y }
    }

    /// A median and its spread.
    pub(crate) fn of(x: f64, Spread { low, median, high }: Spread) -> Self {
        Self { x, y: median, low, high }
    }
}

impl Mark {
    pub(crate) fn at(y: f64, name: &str) -> Self {
        Self { name: name.to_owned(), y }
    }
}

impl Line {
    pub(crate) fn of(name: &str, points: Vec<Point>) -> Self {
        Self { name: name.to_owned(), points }
    }

    /// How figures are distributed: the share of them, in percent, that is not above each; a hundred steps.
    pub(crate) fn distribution(name: &str, mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let last = values.len().saturating_sub(1);
        let at = |percent: usize| Point::alone(percent as f64, values[last * percent / 100]);
        Self::of(name, (0..=100).map(at).collect())
    }
}

/// Has the plots of this run drawn into a folder; the documentation's own unless one is named.
pub(crate) fn draw_into(folder: Option<&Path>) {
    PLACE.set(folder.unwrap_or(Path::new(DOCS)).to_owned()).expect("once");
}

/// Keeps the figures and draws them, if that was asked for.
pub(crate) fn keep(name: &str, title: &str, panels: Vec<Panel>) {
    let Some(place) = PLACE.get() else { return };
    std::fs::create_dir_all(place).expect("a folder for the plots");
    let facts = format!("{}, load {}", machine::facts(&std::env::temp_dir()), machine::load());
    let plot = Plot { name: name.to_owned(), title: title.to_owned(), machine: facts, panels };
    let text = serde_json::to_string_pretty(&plot).expect("figures");
    std::fs::write(place.join(format!("{name}.json")), text + "\n").expect("the figures");
    draw::both(&plot, place);
    println!("  drawn: {}", place.join(format!("{name}.svg")).display());
}

/// Draws all plots of the documentation again from their figures.
pub(crate) fn draw_again() {
    for plot in kept() {
        draw::both(&plot, Path::new(DOCS));
        println!("  drawn again: {}", plot.name);
    }
}

/// Each plot of the documentation is what its figures give.
pub(crate) fn are_fresh() {
    for plot in kept() {
        let file = Path::new(DOCS).join(format!("{}.svg", plot.name));
        let there = std::fs::read_to_string(&file).unwrap_or_default();
        let cure = "run `cargo bench --bench rows -- --redraw`";
        assert!(there == draw::svg(&plot), "{} is not what its figures give: {cure}", file.display());
    }
}

fn kept() -> Vec<Plot> {
    let entries = std::fs::read_dir(DOCS).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).expect("figures");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    files.iter().map(read).collect()
}
