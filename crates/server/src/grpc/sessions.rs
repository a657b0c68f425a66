//! Sessions by gRPC. A token comes and goes in messages and metadata; cookies are for browsers' own requests.

use super::{Answer, Asked, Desk, status};
use crate::caller::{Caller, bearer};
use crate::doors::fault;
use crate::headers::client_address;
use parlor_engine::Error;
use parlor_proto::Words;
use parlor_proto::v1::sessions_server::Sessions;
use parlor_proto::v1::*;
use parlor_rules::UserId;
use parlor_wire::{Fault, session};
use tonic::{Request, Response};

#[tonic::async_trait]
impl Sessions for Desk {
    async fn login(&self, request: Request<LoginRequest>) -> Answer<LoginResponse> {
        let (asked, message) = Asked::open(request)?;
        self.enter(&asked, &message).await.map(Response::new).map_err(|fault| status(&fault))
    }

    async fn logout(&self, request: Request<LogoutRequest>) -> Answer<LogoutResponse> {
        let (asked, _) = Asked::open(request)?;
        self.go(&asked).await.map(Response::new).map_err(|fault| status(&fault))
    }

    async fn verify_user(&self, request: Request<VerifyUserRequest>) -> Answer<VerifyUserResponse> {
        let (asked, _) = Asked::open(request)?;
        self.verify(&asked).await.map(Response::new).map_err(|fault| status(&fault))
    }

    async fn get_user(&self, request: Request<GetUserRequest>) -> Answer<GetUserResponse> {
        let (asked, message) = Asked::open(request)?;
        self.find(&asked, &message).await.map(Response::new).map_err(|fault| status(&fault))
    }

    async fn new_user(&self, request: Request<NewUserRequest>) -> Answer<NewUserResponse> {
        Asked::open(request)?;
        let key = self.doors.new_user_key();
        Ok(Response::new(NewUserResponse { user_key: key.expose().to_owned() }))
    }
}

impl Desk {
    async fn enter(&self, asked: &Asked, message: &LoginRequest) -> Result<LoginResponse, Fault> {
        let from = client_address(&asked.headers, asked.peer, self.doors.config.trust_forwarded);
        let mut login = session::login(Some(&message.words()))?;
        login.token = bearer(&asked.headers);
        let (made, token) = self.doors.login(from, &login).await?;
        Ok(LoginResponse {
            user_id: made.member.id.to_string(),
            user_name: made.member.name.to_string(),
            token: token.expose().to_owned(),
            expires_at: made.expires.0,
        })
    }

    async fn go(&self, asked: &Asked) -> Result<LogoutResponse, Fault> {
        let caller = Caller::bearing(&self.doors, asked.peer, &asked.headers).await?;
        let (session, _) = caller.member()?;
        self.doors.logout(session, || {}).await.map(|()| LogoutResponse {})
    }

    async fn verify(&self, asked: &Asked) -> Result<VerifyUserResponse, Fault> {
        let caller = Caller::bearing(&self.doors, asked.peer, &asked.headers).await?;
        let (member, expires) = caller.who()?;
        let (user_id, user_name) = (member.id.to_string(), member.name.to_string());
        Ok(VerifyUserResponse { user_id, user_name, expires_at: expires.0 })
    }

    async fn find(&self, asked: &Asked, message: &GetUserRequest) -> Result<GetUserResponse, Fault> {
        let caller = Caller::bearing(&self.doors, asked.peer, &asked.headers).await?;
        caller.member()?;
        // An id that cannot be one is a user who is not there.
        let user: UserId = message.user_id.parse().map_err(|_| fault(&Error::NoUser))?;
        let member = self.doors.sessions.user(&user).await.map_err(|error| fault(&error))?;
        Ok(GetUserResponse { user_id: member.id.to_string(), user_name: member.name.to_string() })
    }
}
