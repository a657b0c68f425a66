//! Makes messages and services of `proto/`, without protoc. Requests can be written as the JSON words of the other doors.

use prost::Message;
use std::error::Error;
use std::path::{Path, PathBuf};

const FILES: [&str; 2] = ["parlor/v1/sessions.proto", "parlor/v1/poker.proto"];

/// Words that other doors say as null, and this one as an empty text.
const OR_NULL: [&str; 4] =
    ["UpdateRoomRequest.name", "EditStoryRequest.link", "EditStoryRequest.estimate", "PickStoryRequest.story_id"];

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../../proto");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut compiler = protox::Compiler::new([&root])?;
    compiler.include_source_info(true).include_imports(true).open_files(FILES)?;
    let descriptors = compiler.file_descriptor_set();
    // What reflection tells needs no comments.
    let mut bare = descriptors.clone();
    bare.file.iter_mut().for_each(|file| file.source_code_info = None);
    std::fs::write(out.join("parlor.bin"), bare.encode_to_vec())?;

    let mut builder = tonic_prost_build::configure()
        .build_client(false)
        .build_transport(false)
        // The hub encodes these, once for everyone of a class; here they are only carried.
        .extern_path(".parlor.v1.RoomUpdate", "crate::Frame")
        .extern_path(".parlor.v1.RoomCondition", "crate::Frame");
    for message in descriptors.file.iter().flat_map(|file| &file.message_type) {
        let name = message.name();
        if !name.ends_with("Request") && name != "NewStory" {
            continue;
        }
        let name = format!("parlor.v1.{name}");
        builder = builder.message_attribute(&name, "#[derive(serde::Serialize)]");
        for field in &message.field {
            let path = format!("{name}.{}", field.name());
            if field.name() == "room_id" || field.name() == "resume" {
                builder = builder.field_attribute(&path, "#[serde(skip)]");
            } else if field.proto3_optional() {
                builder = builder.field_attribute(&path, r#"#[serde(skip_serializing_if = "Option::is_none")]"#);
            }
            if OR_NULL.iter().any(|or_null| path.ends_with(or_null)) {
                builder = builder.field_attribute(&path, r#"#[serde(serialize_with = "crate::words::or_null")]"#);
            }
        }
    }
    Ok(builder.out_dir(&out).compile_fds(descriptors)?)
}
