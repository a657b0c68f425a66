//! Logging in: any name will do here. Parlor gives the visit a new token and joins the carts as the form says.

use super::{Outcome, from_our_page, refused};
use crate::App;
use crate::page::{escape, private, problem, see};
use crate::parlor::{Answer, Token};
use axum::Form;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Deserialize;

/// As Parlor names them, and as people would.
const MERGES: [(&str, &str); 5] = [
    ("sum", "put both carts together"),
    ("max", "of each thing, the larger number"),
    ("guest_wins", "keep what I have here"),
    ("user_wins", "keep what I had before"),
    ("guest_if_empty", "keep what I have here only if I had nothing"),
];
const NAME_CHARACTERS_MAX: usize = 40;

pub(crate) async fn show(State(shop): State<App>, headers: HeaderMap) -> Outcome {
    let user = match Token::of(&headers) {
        Some(visitor) => {
            shop.parlor.visit(&visitor).await.ok().and_then(|seen| seen["visit"]["user"].as_str().map(str::to_owned))
        }
        None => None,
    };
    if let Some(user) = user {
        let main =
            format!("<h1>Hello, {}</h1><form method=\"post\" action=\"/logout\"><button>Log out</button></form>", escape(&user));
        return Ok(private("You", &main));
    }
    let mut merges = String::new();
    for (index, (merge, means)) in MERGES.iter().enumerate() {
        let checked = if index == 0 { " checked" } else { "" };
        merges += &format!("<label><input type=\"radio\" name=\"merge\" value=\"{merge}\"{checked}> {means}</label>");
    }
    let main = format!(
        "<h1>Log in</h1><form class=\"login\" method=\"post\" action=\"/login\">\
         <label>Name <input name=\"name\" required maxlength=\"{NAME_CHARACTERS_MAX}\" autocomplete=\"username\"></label>\
         <fieldset><legend>If there is a cart here and one from before</legend>{merges}</fieldset><button>Log in</button></form>"
    );
    Ok(private("Log in", &main))
}

#[derive(Deserialize)]
pub(crate) struct Login {
    name: String,
    #[serde(default)]
    merge: String,
}

pub(crate) async fn login(State(shop): State<App>, headers: HeaderMap, Form(login): Form<Login>) -> Outcome {
    from_our_page(&headers)?;
    let name = login.name.trim();
    if name.is_empty() || name.chars().count() > NAME_CHARACTERS_MAX {
        return Err(problem(StatusCode::BAD_REQUEST, "A name has 1 to 40 characters."));
    }
    let merge = MERGES.iter().map(|(merge, _)| *merge).find(|merge| *merge == login.merge).unwrap_or("sum");
    let Some(visitor) = Token::of(&headers) else {
        return Err(problem(StatusCode::BAD_REQUEST, "Open the shop's first page with cookies allowed, then try again."));
    };
    let answer = shop.parlor.login(&visitor, name, merge).await.map_err(|why| refused(&why))?;
    Ok(with_cookies(see("/cart"), answer))
}

pub(crate) async fn logout(State(shop): State<App>, headers: HeaderMap) -> Outcome {
    from_our_page(&headers)?;
    let Some(visitor) = Token::of(&headers) else { return Ok(see("/")) };
    let answer = shop.parlor.logout(&visitor).await.map_err(|why| refused(&why))?;
    Ok(with_cookies(see("/"), answer))
}

/// The token is Parlor's to give and to take: its cookies go to the browser as they are.
fn with_cookies(mut response: Response, answer: Answer) -> Response {
    response.headers_mut().extend(answer.cookies.into_iter().map(|cookie| (SET_COOKIE, cookie)));
    response
}
