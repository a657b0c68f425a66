//! A gRPC client that knows only what the files in `proto` say: messages are read and written as JSON by their descriptors.

use super::inside::{Inside, PATIENCE};
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, MethodDescriptor, SerializeOptions};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::net::SocketAddr;
use tokio::time::timeout;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::{AsciiMetadataKey, MetadataMap};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status, Streaming};

pub(crate) struct Grpc {
    channel: Channel,
    pool: DescriptorPool,
}

/// What a room says, as it comes.
pub(crate) struct Hearing {
    stream: Streaming<DynamicMessage>,
    room: String,
    /// The answer told that this had been done before.
    pub(crate) again: bool,
    unread: VecDeque<Value>,
}

pub(crate) fn descriptors() -> DescriptorPool {
    DescriptorPool::decode(parlor_proto::DESCRIPTORS).unwrap()
}

impl Inside {
    pub(crate) async fn grpc(&self) -> Grpc {
        Grpc::open(self.address).await
    }
}

impl Grpc {
    pub(crate) async fn open(address: SocketAddr) -> Grpc {
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        Grpc { channel: timeout(PATIENCE, endpoint.connect()).await.unwrap().unwrap(), pool: descriptors() }
    }

    /// One question, one answer: `ask("Poker/CastVote", …)`.
    pub(crate) async fn ask(&self, call: &str, headers: &[(&str, &str)], message: Value) -> Result<Value, Status> {
        let (method, request) = self.request(call, headers, message);
        let (path, codec) = (path(&method), Dynamic(method.clone()));
        let mut client = tonic::client::Grpc::new(self.channel.clone());
        client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
        let answer = timeout(PATIENCE, client.unary(request, path, codec)).await.expect("an answer")?;
        Ok(as_json(&answer.into_inner()))
    }

    pub(crate) async fn hear(&self, call: &str, headers: &[(&str, &str)], message: Value) -> Result<Hearing, Status> {
        let room = message["room_id"].as_str().unwrap_or_default().to_owned();
        let (method, request) = self.request(call, headers, message);
        let (path, codec) = (path(&method), Dynamic(method.clone()));
        let mut client = tonic::client::Grpc::new(self.channel.clone());
        client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
        let answer = timeout(PATIENCE, client.server_streaming(request, path, codec)).await.expect("an answer")?;
        let again = answer.metadata().contains_key("parlor-again");
        Ok(Hearing { stream: answer.into_inner(), room, again, unread: VecDeque::new() })
    }

    /// A command as the list of commands names it, and its answer as the other doors give it.
    pub(crate) async fn act(&self, room: &str, verb: &str, with: &Value, headers: &[(&str, &str)]) -> String {
        let id = room.trim_start_matches("poker/");
        let answer = match verb {
            "say" => self.ask("Poker/Say", headers, json!({ "room_id": id, "data": with.to_string() })).await,
            "join" => match self.hear("Poker/JoinRoom", headers, said(id, with)).await {
                Ok(hearing) => Ok(json!({ "again": hearing.again })),
                Err(status) => Err(status),
            },
            verb => {
                let known = parlor::grpc::CALLS.iter().find(|(known, _)| *known == verb);
                let (_, call) = known.unwrap_or_else(|| panic!("{verb} has no call"));
                self.ask(&format!("Poker/{call}"), headers, said(id, with)).await
            }
        };
        match answer {
            Ok(answer) if answer["again"] == true => "ok again".to_owned(),
            Ok(_) => "ok".to_owned(),
            Err(status) => code(&status),
        }
    }

    /// The room, as the other doors' frames have it.
    pub(crate) async fn look(&self, room: &str, headers: &[(&str, &str)]) -> Result<Value, Status> {
        let id = room.trim_start_matches("poker/");
        self.ask("Poker/CheckRoom", headers, json!({ "room_id": id })).await.map(|condition| framed(condition, id))
    }

    fn request(&self, call: &str, headers: &[(&str, &str)], message: Value) -> (MethodDescriptor, Request<DynamicMessage>) {
        let (service, name) = call.split_once('/').unwrap();
        let service = self.pool.get_service_by_name(&format!("parlor.v1.{service}")).unwrap();
        let method = service.methods().find(|method| method.name() == name).unwrap_or_else(|| panic!("no call {call}"));
        let message = DynamicMessage::deserialize(method.input(), message).unwrap_or_else(|error| panic!("{call}: {error}"));
        let mut request = Request::new(message);
        fill(request.metadata_mut(), headers);
        (method, request)
    }
}

impl Hearing {
    /// The next update, or how the stream ended.
    pub(crate) async fn next(&mut self) -> Result<Option<Value>, Status> {
        if let Some(update) = self.unread.pop_front() {
            return Ok(Some(update));
        }
        let update = timeout(PATIENCE, self.stream.message()).await.expect("the server says something")?;
        Ok(update.map(|update| as_json(&update)))
    }

    /// Passes over everything until there is this; its value.
    pub(crate) async fn until(&mut self, what: &str) -> Value {
        loop {
            let mut update = self.next().await.unwrap().unwrap_or_else(|| panic!("it ended before {what}"));
            if let Some(found) = update.get_mut(what) {
                return found.take();
            }
        }
    }

    /// The next condition, as the other doors' frames have it; nothing when the room has ended.
    pub(crate) async fn view(&mut self) -> Option<Value> {
        loop {
            let mut update = self.next().await.unwrap()?;
            if let Some(condition) = update.get_mut("condition") {
                return Some(framed(condition.take(), &self.room));
            }
        }
    }

    pub(crate) fn unread(&mut self, condition: &Value) {
        self.unread.push_back(json!({ "condition": condition }));
    }

    /// Passes over everything until the stream ends with a status.
    pub(crate) async fn refused(&mut self) -> Status {
        loop {
            match self.next().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("it ended without a word"),
                Err(status) => return status,
            }
        }
    }
}

/// The code of an error, after its details, metadata and number have been seen to agree.
pub(crate) fn code(status: &Status) -> String {
    let name = status.metadata().get("parlor-code").unwrap_or_else(|| panic!("not an error of ours: {status:?}"));
    let name = name.to_str().unwrap().to_owned();
    let row = parlor_rules::Code::ALL.iter().map(|code| parlor_wire::Status::from(*code)).find(|row| row.name == name);
    let row = row.unwrap_or_else(|| panic!("no such code: {status:?}"));
    assert_eq!(status.code() as i32, i32::from(row.grpc), "{status:?}");
    let details = tonic_types::StatusExt::get_error_details(status);
    assert_eq!(details.error_info().map(|info| info.reason.as_str()), Some(row.name), "{status:?}");
    assert_eq!(details.retry_info().is_some(), row.retry, "{status:?}");
    assert!(!status.message().is_empty(), "{status:?}");
    name
}

pub(crate) fn fill(metadata: &mut MetadataMap, headers: &[(&str, &str)]) {
    for (name, value) in headers {
        metadata.insert(AsciiMetadataKey::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
    }
}

/// What is null elsewhere is an empty text here.
fn said(id: &str, with: &Value) -> Value {
    let mut message = with.clone();
    message["room_id"] = id.into();
    for value in message.as_object_mut().unwrap().values_mut().filter(|value| value.is_null()) {
        *value = "".into();
    }
    message
}

fn framed(mut condition: Value, id: &str) -> Value {
    condition["push"] = "view".into();
    condition["room"] = format!("poker/{id}").into();
    condition
}

fn as_json(message: &DynamicMessage) -> Value {
    let options = SerializeOptions::new().use_proto_field_name(true).stringify_64_bit_integers(false).skip_default_fields(false);
    message.serialize_with_options(serde_json::value::Serializer, &options).unwrap()
}

fn path(method: &MethodDescriptor) -> axum::http::uri::PathAndQuery {
    format!("/{}/{}", method.parent_service().full_name(), method.name()).parse().unwrap()
}

/// Messages by their descriptors.
struct Dynamic(MethodDescriptor);

struct Reads(MessageDescriptor);

struct Writes;

impl Codec for Dynamic {
    type Encode = DynamicMessage;
    type Decode = DynamicMessage;
    type Encoder = Writes;
    type Decoder = Reads;

    fn encoder(&mut self) -> Writes {
        Writes
    }

    fn decoder(&mut self) -> Reads {
        Reads(self.0.output())
    }
}

impl Encoder for Writes {
    type Item = DynamicMessage;
    type Error = Status;

    fn encode(&mut self, message: DynamicMessage, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        prost_reflect::prost::Message::encode(&message, buffer).map_err(|error| Status::internal(error.to_string()))
    }
}

impl Decoder for Reads {
    type Item = DynamicMessage;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<DynamicMessage>, Status> {
        let message = DynamicMessage::decode(self.0.clone(), buffer).map_err(|error| Status::internal(error.to_string()))?;
        assert_eq!(message.unknown_fields().count(), 0, "a field that no file describes");
        Ok(Some(message))
    }
}
