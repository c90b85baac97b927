//! The report of a debate: `report.md`, and `report.html`, which is one file that loads nothing. What agents wrote is shown as
//! Markdown without raw HTML, images and links other than to the web.

mod agent_text;
mod facts;
mod form;
#[cfg(test)]
mod tests;
mod to_html;
mod to_markdown;
mod words;

pub use agent_text::{REPORT_TEXT_CHARS_MAX, agent_html, agent_markdown};
pub use form::{DebateReport, ReportCell, ReportRound};
pub use to_html::html;
pub use to_markdown::markdown;
