//! `parlor`: reads what it is asked on the command line and does that.

/// Rooms make many small, short-lived things; the system's allocator spent a fifth of a vote's time on them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    parlor::host::small_pages();
    parlor::cli::main()
}
