//! The `tasuki` program: hands the command line to [`tasuki::ui`] and exits with its code.

fn main() -> std::process::ExitCode {
    tasuki::ui::cli::main()
}
