//! The binary `parlor-bench`.

/// The same as the server's, so that what runs in process here costs what it costs there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    parlor_bench::main()
}
