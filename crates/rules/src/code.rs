//! The name of every way a request can fail. `wire::status` holds the one table that gives each a
//! spelling, an HTTP and gRPC status, and whether trying again can help.

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Code {
    BadRequest,
    TooLarge,
    Unauthenticated,
    Forbidden,
    BadKey,
    RoomNotFound,
    NotFound,
    Exists,
    VersionMismatch,
    NotSeated,
    WrongPhase,
    NotInDeck,
    RoomFull,
    NameTaken,
    TooMany,
    TooFast,
    Contended,
    Unavailable,
    Unsupported,
    Internal,
}

impl Code {
    pub const ALL: [Code; 20] = [
        Code::BadRequest,
        Code::TooLarge,
        Code::Unauthenticated,
        Code::Forbidden,
        Code::BadKey,
        Code::RoomNotFound,
        Code::NotFound,
        Code::Exists,
        Code::VersionMismatch,
        Code::NotSeated,
        Code::WrongPhase,
        Code::NotInDeck,
        Code::RoomFull,
        Code::NameTaken,
        Code::TooMany,
        Code::TooFast,
        Code::Contended,
        Code::Unavailable,
        Code::Unsupported,
        Code::Internal,
    ];
}
