//! The calls of a room. One table relates each verb of the list of commands to its call; a test compares the two.

use super::stream::{self, Updates};
use super::{Answer, Asked, Desk, room, status};
use crate::caller::Caller;
use parlor_proto::v1::poker_server::Poker;
use parlor_proto::v1::*;
use parlor_proto::{Frame, Words, frame};
use parlor_rules::poker::Deck as Preset;
use parlor_rules::{Kind, Place as Spot};
use parlor_wire::export::{self, Form};
use parlor_wire::{Fault, ask, wish};
use tonic::metadata::MetadataValue;
use tonic::{Request, Response};

/// Said with a stream whose joining had been done before, by the same idempotency-key.
const AGAIN: &str = "parlor-again";

/// A request that is a command.
trait Act: Words {
    const VERB: &'static str;
    fn room_id(&self) -> &str;
}

macro_rules! calls {
    ($($verb:literal => $Call:ident $call:ident $Request:ident;)*) => {
        /// Each verb and the call that says it. Joining also listens, so its call is a stream.
        pub const CALLS: &[(&str, &str)] = &[("join", "JoinRoom"), $(($verb, stringify!($Call))),*];

        $(impl Act for $Request {
            const VERB: &'static str = $verb;
            fn room_id(&self) -> &str {
                &self.room_id
            }
        })*

        #[tonic::async_trait]
        impl Poker for Desk {
            type JoinRoomStream = Updates;
            type SubscribeStream = Updates;

            $(async fn $call(&self, request: Request<$Request>) -> Answer<Acted> {
                self.act(request).await
            })*

            async fn join_room(&self, request: Request<JoinRoomRequest>) -> Answer<Updates> {
                let (asked, message) = Asked::open(request)?;
                let (updates, again) = self.join(asked, message).await.map_err(|fault| status(&fault))?;
                let mut response = Response::new(updates);
                if again {
                    response.metadata_mut().insert(AGAIN, MetadataValue::from_static("true"));
                }
                Ok(response)
            }

            async fn subscribe(&self, request: Request<SubscribeRequest>) -> Answer<Updates> {
                let (asked, message) = Asked::open(request)?;
                self.watch(asked, message).await.map(Response::new).map_err(|fault| status(&fault))
            }

            async fn create_room(&self, request: Request<CreateRoomRequest>) -> Answer<CreateRoomResponse> {
                let (asked, message) = Asked::open(request)?;
                self.create(asked, message).await.map(Response::new).map_err(|fault| status(&fault))
            }

            async fn check_room(&self, request: Request<CheckRoomRequest>) -> Answer<Frame> {
                let (asked, message) = Asked::open(request)?;
                self.check(asked, message).await.map(Response::new).map_err(|fault| status(&fault))
            }

            async fn export_room(&self, request: Request<ExportRoomRequest>) -> Answer<ExportRoomResponse> {
                let (asked, message) = Asked::open(request)?;
                self.export(asked, message).await.map(Response::new).map_err(|fault| status(&fault))
            }

            async fn say(&self, request: Request<SayRequest>) -> Answer<SayResponse> {
                let (asked, message) = Asked::open(request)?;
                self.speak(asked, message).await.map(Response::new).map_err(|fault| status(&fault))
            }

            async fn list_decks(&self, _: Request<ListDecksRequest>) -> Answer<ListDecksResponse> {
                let deck = |(deck, cards): &(&str, &str)| Deck { deck: deck.to_string(), valid_sizes: cards.to_string() };
                Ok(Response::new(ListDecksResponse { decks: Preset::PRESETS.iter().map(deck).collect() }))
            }
        }
    };
}

calls! {
    "vote" => CastVote cast_vote CastVoteRequest;
    "take_back" => TakeBackVote take_back_vote TakeBackVoteRequest;
    "show" => ShowVotes show_votes ShowVotesRequest;
    "set_revealed" => SetRevealed set_revealed SetRevealedRequest;
    "reset" => ResetVotes reset_votes ResetVotesRequest;
    "set_valid_sizes" => SetValidSizes set_valid_sizes SetValidSizesRequest;
    "set_observer" => SetObserver set_observer SetObserverRequest;
    "update_room" => UpdateRoom update_room UpdateRoomRequest;
    "start_timer" => StartTimer start_timer StartTimerRequest;
    "stop_timer" => StopTimer stop_timer StopTimerRequest;
    "hand_over" => HandOver hand_over HandOverRequest;
    "kick" => KickUser kick_user KickUserRequest;
    "leave" => LeaveRoom leave_room LeaveRoomRequest;
    "delete_user" => DeleteUser delete_user DeleteUserRequest;
    "delete" => DeleteRoom delete_room DeleteRoomRequest;
    "add_stories" => AddStories add_stories AddStoriesRequest;
    "import_stories" => ImportStories import_stories ImportStoriesRequest;
    "edit_story" => EditStory edit_story EditStoryRequest;
    "move_story" => MoveStory move_story MoveStoryRequest;
    "remove_story" => RemoveStory remove_story RemoveStoryRequest;
    "pick_story" => PickStory pick_story PickStoryRequest;
}

impl Desk {
    async fn act<R: Act>(&self, request: Request<R>) -> Answer<Acted> {
        let (asked, message) = Asked::open(request)?;
        let acted = self.commanded(&asked, R::VERB, message.room_id(), &message.words()).await;
        acted.map(|(_, acted)| Response::new(acted)).map_err(|fault| status(&fault))
    }

    /// Decides and keeps a command, told in the words of the other doors.
    async fn commanded(&self, asked: &Asked, verb: &str, room_id: &str, words: &str) -> Result<(Caller, Acted), Fault> {
        let caller = Caller::bearing(&self.doors, asked.peer, &asked.headers).await?;
        let room = room(room_id)?;
        let command = ask::act(room.kind, verb, Some(words))?;
        let acted = caller.act(&self.doors, &room, command).await?;
        Ok((caller, Acted { at: acted.position.to_string(), again: acted.again }))
    }

    async fn join(&self, asked: Asked, message: JoinRoomRequest) -> Result<(Updates, bool), Fault> {
        let resume = spot(message.resume.as_ref())?;
        let place = stream::place(&self.doors, &asked)?;
        let (caller, acted) = self.commanded(&asked, "join", &message.room_id, &message.words()).await?;
        let updates = stream::open(self.doors.clone(), caller, &room(&message.room_id)?, resume, asked.deadline, place).await?;
        Ok((updates, acted.again))
    }

    async fn watch(&self, asked: Asked, message: SubscribeRequest) -> Result<Updates, Fault> {
        let resume = spot(message.resume.as_ref())?;
        let place = stream::place(&self.doors, &asked)?;
        let caller = Caller::watching(&self.doors, asked.peer, &asked.headers).await?;
        stream::open(self.doors.clone(), caller, &room(&message.room_id)?, resume, asked.deadline, place).await
    }

    async fn create(&self, asked: Asked, message: CreateRoomRequest) -> Result<CreateRoomResponse, Fault> {
        let caller = Caller::bearing(&self.doors, asked.peer, &asked.headers).await?;
        let wish = wish::of(Kind::Poker, Some(&message.words()))?;
        let made = self.doors.create(caller.from, caller.bearer.as_ref(), &wish, caller.idempotency_key.as_ref()).await?;
        Ok(CreateRoomResponse {
            room_id: made.room.id.to_string(),
            host_key: made.host_key.expose().to_owned(),
            at: made.place.position.to_string(),
            mark: made.place.mark.to_string(),
            valid_sizes: made.about["valid_sizes"].as_str().unwrap_or_default().to_owned(),
        })
    }

    async fn check(&self, asked: Asked, message: CheckRoomRequest) -> Result<Frame, Fault> {
        let caller = Caller::bearing(&self.doors, asked.peer, &asked.headers).await?;
        let seen = caller.look(&self.doors, &room(&message.room_id)?, &self.doors.protobuf).await?;
        Ok(Frame(frame::condition(seen)))
    }

    async fn export(&self, asked: Asked, message: ExportRoomRequest) -> Result<ExportRoomResponse, Fault> {
        let caller = Caller::bearing(&self.doors, asked.peer, &asked.headers).await?;
        let form = match ExportFormat::try_from(message.format) {
            Ok(ExportFormat::Unspecified | ExportFormat::Csv) => Form::Csv,
            Ok(ExportFormat::Json) => Form::Json,
            Err(_) => return Err(Fault::bad("a room is exported as CSV or as JSON")),
        };
        let export = caller.export(&self.doors, &room(&message.room_id)?).await?;
        Ok(ExportRoomResponse { media_type: form.media_type().to_owned(), content: export::written(&export, form) })
    }

    async fn speak(&self, asked: Asked, message: SayRequest) -> Result<SayResponse, Fault> {
        let caller = Caller::bearing(&self.doors, asked.peer, &asked.headers).await?;
        let room = room(&message.room_id)?;
        let data = ask::spoken(Some(&message.data))?;
        caller.say(&self.doors, &room, data).await.map(|()| SayResponse {})
    }
}

fn spot(place: Option<&Place>) -> Result<Option<Spot>, Fault> {
    let read = |Place { at, mark }: &Place| -> Result<Spot, Fault> {
        Ok(Spot { position: at.parse().map_err(Fault::bad)?, mark: mark.parse().map_err(Fault::bad)? })
    };
    place.map(read).transpose()
}
