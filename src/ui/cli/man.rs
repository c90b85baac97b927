//! `tasuki man`: the man pages, made from the same help that every command prints.

use super::context::{Context, Ended};
use super::failure::Failure;
use clap_mangen::Man;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the man pages
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki man | man -l -                            reads the page of tasuki itself
  tasuki man --dir ~/.local/share/man/man1         one page a command: `man tasuki-send`")]
pub(super) struct Args {
    /// Folder for a page of each command; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// `command` is the whole command line.
pub(super) fn run(context: &Context, args: &Args, command: clap::Command) -> Ended {
    let Some(dir) = &args.dir else {
        let page = page(command)?;
        return context.tell(&serde_json::json!({"page": page}), || page.clone());
    };
    fs::create_dir_all(dir).map_err(Failure::at(dir))?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut files = Vec::new();
    write(&command, dir, &mut files)?;
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    context.tell(&serde_json::json!({"files": files}), || files.join("\n"))
}

fn page(command: clap::Command) -> Result<String, Failure> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// Writes the page of a command and those of its own commands.
fn write(command: &clap::Command, dir: &Path, files: &mut Vec<PathBuf>) -> Ended {
    let shown = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    shown.into_iter().try_for_each(|inner| write(inner, dir, files))?;
    files.push(Man::new(command.clone()).generate_to(dir).map_err(Failure::at(dir))?);
    Ok(())
}
