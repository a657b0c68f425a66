//! The binary `parlor-bench`.

fn main() -> std::process::ExitCode {
    parlor_bench::main()
}
