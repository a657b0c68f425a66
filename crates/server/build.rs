//! Puts the built pages into the binary: every file below `web/dist`, plain and gzipped. Without them, or without Node to
//! build them, the server still builds; `pages.rs` then has a page that says what to do.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let dist = here.join("../../web/dist");
    println!("cargo::rerun-if-changed=build.rs");
    // Made if it is not there: cargo takes what it cannot find as changed, and would build the server anew each time.
    let _ = std::fs::create_dir_all(&dist);
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut list = String::from("pub(super) const BUILT: &[Page] = &[\n");
    for (index, file) in files(&dist)?.iter().enumerate() {
        let plain = dist.join(file);
        let packed = out.join(format!("{index}.gz"));
        let mut gzip = GzEncoder::new(std::fs::File::create(&packed)?, Compression::best());
        let bytes = std::fs::read(&plain)?;
        gzip.write_all(&bytes)?;
        gzip.finish()?;
        let mut digest = DefaultHasher::new();
        bytes.hash(&mut digest);
        let tag = format!("\"{:016x}\"", digest.finish());
        let path = format!("/{}", file.display());
        list += &format!(
            "    Page {{ path: {path:?}, tag: {tag:?}, plain: include_bytes!({plain:?}), gzip: include_bytes!({packed:?}) }},\n"
        );
    }
    list += "];\n";
    std::fs::write(out.join("built.rs"), list)
}

/// Every file below a folder, by its path from there, in order; none when there is no such folder.
fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut left = vec![PathBuf::new()];
    while let Some(below) = left.pop() {
        let entries = match std::fs::read_dir(root.join(&below)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let path = below.join(entry.file_name());
            if entry.file_type()?.is_dir() { left.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}
