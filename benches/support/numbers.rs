//! Medians and spreads.

/// A value in the middle of others, and how far they lie apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    /// The smallest.
    pub(crate) low: f64,
    /// The one in the middle.
    pub(crate) median: f64,
    /// The largest.
    pub(crate) high: f64,
}

impl Spread {
    /// Of these values.
    pub(crate) fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |index: usize| values.get(index).copied().unwrap_or(f64::NAN);
        Self { low: at(0), median: at(values.len() / 2), high: at(values.len().saturating_sub(1)) }
    }
}

/// The one in the middle.
pub(crate) fn median(values: Vec<f64>) -> f64 {
    Spread::of(values).median
}

/// A number with three digits that mean something.
pub(crate) fn shown(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}
