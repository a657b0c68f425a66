//! `parlor`: reads what it is asked on the command line and does that.

fn main() -> std::process::ExitCode {
    parlor::cli::main()
}
