//! Asking the origin, and what becomes of its answer: kept and shown, confirmed, passed on, or replaced by what we still hold.

use crate::answer::{not_modified, own_words};
use crate::body::{Body, tap};
use crate::edge::{Edge, Unshared};
use crate::errand::Errand;
use crate::flights::{Landing, Leader};
use crate::gather::{Gathered, gather, pump};
use crate::outgoing::{For, head_of, prepare};
use crate::page::{Arrived, Page};
use crate::purges::Generation;
use crate::rules::conditional::{ask_whether_changed, has_it};
use crate::rules::dates::{date, format};
use crate::rules::hops::{add_via, drop_hops};
use crate::rules::merge::renewed;
use crate::rules::storable::{Asker, Policy, Refusal, judge};
use crate::rules::tags::PARLOR_SLOTS;
use crate::rules::visit::drop_asker;
use crate::status::{Did, Forward};
use bytes::Bytes;
use http::header::{AGE, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, DATE, HeaderValue, RANGE, SET_COOKIE};
use http::response::Parts;
use http::{HeaderMap, Request, Response, StatusCode};
use std::sync::Arc;
use std::time::Duration;

/// Marks an answer whose end is the connection's end: nobody can tell whether it is whole.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unframed;

/// Pages of a known length up to this are kept before they are shown; larger ones are shown while they come.
const WAIT_FOR_MAX: u64 = 64 * 1024;

/// When an answer was asked for, and what had been purged by then.
#[derive(Clone, Copy)]
struct Started {
    generation: Generation,
    asked: u64,
}

impl Edge {
    /// Runs the errand; whoever waits for the leader is let go on every way out.
    pub(crate) async fn fetch(&self, errand: Errand, leader: Option<Leader>) -> Response<Body> {
        let started = Started { generation: self.0.pages.generation(), asked: self.now() };
        let mut parts = head_of(&errand.parts);
        prepare(&mut parts, Some(&errand.key), errand.whom, &self.0.options);
        let asks = errand.found.as_ref().is_some_and(|page| {
            // A part could not be put together with what we hold.
            parts.headers.remove(RANGE);
            ask_whether_changed(&mut parts.headers, &page.headers)
        });
        let sent = errand.origin.send(Request::from_parts(parts, Body::Empty));
        let answer = match tokio::time::timeout(self.0.options.origin_timeout, sent).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                tracing::warn!(%error, key = errand.key.as_str(), "the origin did not answer");
                return self.without_answer(&errand, leader, false);
            }
            Err(_) => return self.without_answer(&errand, leader, true),
        };
        if answer.status().is_server_error()
            && let Some(page) = self.helper(&errand, false)
        {
            land(leader, Landing::Failed { down: false });
            self.0.tally.stale_hits.count();
            return self.show(&page, &errand.parts.headers, &errand.asked, &errand.visitor, None);
        }
        let (mut parts, body) = answer.into_parts();
        let unframed = parts.extensions.get::<Unframed>().is_some();
        drop_hops(&mut parts.headers);
        self.date(&mut parts.headers);
        match &errand.found {
            Some(page) if asks && parts.status == StatusCode::NOT_MODIFIED => {
                let page = page.clone();
                self.confirmed(errand, leader, &page, parts, started)
            }
            _ => self.answered(errand, leader, parts, body, unframed, started).await,
        }
    }

    /// An answer without a date is dated when it comes: an older one's date must not make it old.
    pub(crate) fn date(&self, headers: &mut HeaderMap) {
        if date(headers, &DATE).is_none() {
            headers.insert(DATE, crate::page::text(&format(self.now() / 1000)));
        }
    }

    /// The page that may be shown although the origin failed.
    fn helper(&self, errand: &Errand, down: bool) -> Option<Arc<Page>> {
        let page = errand.found.as_ref()?;
        page.held().helps(&errand.asked.said, self.0.options.leave, down, self.now()).then(|| page.clone())
    }

    pub(crate) fn without_answer(&self, errand: &Errand, leader: Option<Leader>, late: bool) -> Response<Body> {
        land(leader, Landing::Failed { down: true });
        match self.helper(errand, true) {
            Some(page) => {
                self.0.tally.stale_hits.count();
                self.show(&page, &errand.parts.headers, &errand.asked, &errand.visitor, None)
            }
            None => origin_failed(&self.0.options.name, errand.why, late),
        }
    }

    /// The origin says that what we hold is still right.
    fn confirmed(
        &self,
        errand: Errand,
        leader: Option<Leader>,
        page: &Arc<Page>,
        parts: Parts,
        started: Started,
    ) -> Response<Body> {
        self.0.tally.revalidated.count();
        let headers = renewed(&page.headers, &parts.headers);
        let received = self.now();
        // The page was found shareable when it came; a confirmation to whomever does not change that.
        let asker = Asker { authorization: false, cookie: false, ..errand.asker(self) };
        let judged = judge(asker, page.status, &headers, started.asked, received);
        let policy = judged.unwrap_or(Policy { fresh_for: 0, ..page.policy });
        let new = self.page(&errand, page.status, headers, page.body.clone(), policy, received);
        let shown = match judged {
            Ok(_) => match self.keep(new, started.generation) {
                Ok(kept) => {
                    land(leader, Landing::Kept);
                    kept
                }
                Err(new) => {
                    land(leader, Landing::Unshared);
                    new
                }
            },
            Err(_) => {
                self.0.pages.forget(page);
                land(leader, Landing::Unshared);
                Arc::new(new)
            }
        };
        let did = Did::Forwarded { why: errand.why, status: Some(304), stored: judged.is_ok(), collapsed: false };
        let mut answer = self.show(&shown, &errand.parts.headers, &errand.asked, &errand.visitor, Some(did));
        for cookie in parts.headers.get_all(SET_COOKIE) {
            answer.headers_mut().append(SET_COOKIE, cookie.clone());
        }
        answer
    }

    async fn answered(
        &self,
        errand: Errand,
        leader: Option<Leader>,
        parts: Parts,
        body: Body,
        unframed: bool,
        started: Started,
    ) -> Response<Body> {
        let received = self.now();
        let length = parts.headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok()).and_then(|it| it.parse::<u64>().ok());
        let most = (self.0.options.page_max as u64).min(self.0.pages.page_max());
        let judged = judge(errand.asker(self), parts.status, &parts.headers, started.asked, received);
        let judged = match judged {
            Ok(_) if unframed || length.is_some_and(|length| length > most) || is_endless(&parts.headers) => {
                Err(Refusal::Unkeepable)
            }
            judged => judged,
        };
        let policy = match judged {
            Ok(policy) => policy,
            Err(refusal) => return self.unshared(errand, leader, parts, body, refusal).await,
        };
        self.hand_over(errand, leader, parts, body, policy, length, most, started).await
    }

    /// An answer for this asker, or for nobody twice.
    async fn unshared(
        &self,
        errand: Errand,
        leader: Option<Leader>,
        parts: Parts,
        body: Body,
        refusal: Refusal,
    ) -> Response<Body> {
        land(leader, Landing::Unshared);
        let failed = parts.status.is_server_error();
        if !errand.asked.range && !failed && refusal != Refusal::AskedNoStore {
            self.note_unshared(&errand, refusal);
        }
        if let Some(page) = errand.found.as_ref().filter(|_| !refusal.blames_asker() && !failed) {
            // There is a newer answer, and it is not for keeping: the old one is out of date.
            self.0.pages.forget(page);
            self.drop_below(vec![page.key.clone()]);
        }
        if errand.whom == For::All && errand.asked.has_credentials() {
            // It was asked for everybody and is not for everybody: now as the asker asked it.
            drop(body);
            return Box::pin(self.fetch(errand.for_asker(), None)).await;
        }
        if is_slotted(&parts.headers) {
            return self.filled_for_one(errand, parts, body).await;
        }
        let had = errand.whom != For::Asker && errand.asked.conditional && parts.status == StatusCode::OK;
        let status = parts.status.as_u16();
        let mut answer = Response::from_parts(parts, body);
        let version = answer.version();
        self.sign_passed(answer.headers_mut(), version, errand.why, status, false);
        if had && has_it(&errand.parts.headers, answer.headers()) {
            return not_modified(std::mem::take(answer.headers_mut()));
        }
        answer
    }

    /// A page that is not kept has its slots filled all the same, and is kept nowhere else either.
    async fn filled_for_one(&self, errand: Errand, parts: Parts, body: Body) -> Response<Body> {
        let Parts { status, mut headers, version, .. } = parts;
        let pause = self.0.options.body_timeout;
        match gather(body, self.0.options.page_max, pause, None).await {
            Gathered::Whole(whole) => {
                add_via(&mut headers, version, &self.0.options.name);
                let page = Arc::new(self.page(&errand, status, headers, whole, Policy::never(), self.now()));
                let did = Did::Forwarded { why: errand.why, status: Some(status.as_u16()), stored: false, collapsed: false };
                let mut answer = self.show(&page, &errand.parts.headers, &errand.asked, &errand.visitor, Some(did));
                answer.headers_mut().remove(AGE);
                answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
                answer
            }
            Gathered::Broken(_) => origin_failed(&self.0.options.name, errand.why, false),
            Gathered::TooLarge(chunks, rest) => {
                headers.remove(&PARLOR_SLOTS);
                self.sign_passed(&mut headers, version, errand.why, status.as_u16(), false);
                crate::answer::finish(status, headers, pour_on(chunks, rest, pause))
            }
        }
    }

    fn note_unshared(&self, errand: &Errand, refusal: Refusal) {
        let only_visit = errand.asked.visit && !errand.asked.cookie;
        let until = self.now() + self.0.options.unshared_for.as_millis() as u64;
        if refusal == Refusal::Cookie && only_visit {
            self.0.cookieless.insert(errand.mark, until);
        } else {
            self.0.unshared.insert(errand.mark, Unshared { until, because: refusal });
        }
    }

    /// Keeps the answer and shows it: at once when it is small or has slots, else while it comes.
    #[expect(clippy::too_many_arguments, reason = "all of it is about one answer")]
    async fn hand_over(
        &self,
        errand: Errand,
        leader: Option<Leader>,
        parts: Parts,
        body: Body,
        policy: Policy,
        length: Option<u64>,
        most: u64,
        started: Started,
    ) -> Response<Body> {
        let pause = self.0.options.body_timeout;
        let received = self.now();
        let slots = is_slotted(&parts.headers);
        let empty = http_body::Body::is_end_stream(&body);
        if slots || empty || length.is_some_and(|length| length <= WAIT_FOR_MAX) {
            match gather(body, most as usize, pause, None).await {
                Gathered::Whole(whole) if length.is_none_or(|length| length == whole.len() as u64) => {
                    let mut headers = parts.headers;
                    add_via(&mut headers, parts.version, &self.0.options.name);
                    let page = self.page(&errand, parts.status, headers, whole, policy, received);
                    let (page, stored) = match self.keep(page, started.generation) {
                        Ok(kept) => (kept, true),
                        Err(page) => (page, false),
                    };
                    land(leader, if stored { Landing::Kept } else { Landing::Unshared });
                    let did = Did::Forwarded { why: errand.why, status: Some(page.status.as_u16()), stored, collapsed: false };
                    return self.show(&page, &errand.parts.headers, &errand.asked, &errand.visitor, Some(did));
                }
                Gathered::Whole(_) | Gathered::Broken(_) => {
                    land(leader, Landing::Failed { down: true });
                    return match self.helper(&errand, true) {
                        Some(page) => self.show(&page, &errand.parts.headers, &errand.asked, &errand.visitor, None),
                        None => origin_failed(&self.0.options.name, errand.why, false),
                    };
                }
                Gathered::TooLarge(chunks, rest) => {
                    land(leader, Landing::Unshared);
                    let mut headers = parts.headers;
                    headers.remove(&PARLOR_SLOTS);
                    self.sign_passed(&mut headers, parts.version, errand.why, parts.status.as_u16(), false);
                    return crate::answer::finish(parts.status, headers, pour_on(chunks, rest, pause));
                }
            }
        }
        let (faucet, tap) = tap(length);
        let mut shown = parts.headers.clone();
        let had = errand.asked.conditional && parts.status == StatusCode::OK && has_it(&errand.parts.headers, &parts.headers);
        self.sign_passed(&mut shown, parts.version, errand.why, parts.status.as_u16(), true);
        let status = parts.status;
        let edge = self.clone();
        tokio::spawn(async move {
            match gather(body, most as usize, pause, Some(&faucet)).await {
                Gathered::Whole(whole) if length.is_none_or(|length| length == whole.len() as u64) => {
                    let mut headers = parts.headers;
                    add_via(&mut headers, parts.version, &edge.0.options.name);
                    let page = edge.page(&errand, parts.status, headers, whole, policy, received);
                    let kept = edge.keep(page, started.generation).is_ok();
                    land(leader, if kept { Landing::Kept } else { Landing::Unshared });
                }
                Gathered::Whole(_) => {
                    land(leader, Landing::Failed { down: true });
                    faucet.pour(Err("the origin's answer was not as long as it said".into()));
                }
                Gathered::Broken(error) => {
                    land(leader, Landing::Failed { down: true });
                    faucet.pour(Err(error));
                }
                Gathered::TooLarge(_, rest) => {
                    land(leader, Landing::Unshared);
                    faucet.settle().await;
                    pump(rest, &faucet, pause).await;
                }
            }
        });
        if had {
            return not_modified(shown);
        }
        crate::answer::finish(status, shown, Body::Tap(tap))
    }

    pub(crate) fn page(
        &self,
        errand: &Errand,
        status: StatusCode,
        headers: HeaderMap,
        body: Bytes,
        policy: Policy,
        received: u64,
    ) -> Page {
        // What the origin was not told has not chosen the page, whatever the asker said.
        let told = (errand.whom == For::All).then(|| {
            let mut told = errand.parts.headers.clone();
            drop_asker(&mut told);
            told
        });
        Page::new(Arrived {
            key: &errand.key,
            variant: errand.visitor.variant.clone(),
            request: told.as_ref().unwrap_or(&errand.parts.headers),
            status,
            headers,
            body,
            policy,
            received,
            unpacked_max: self.0.options.page_max,
        })
    }

    /// Keeps a page, above and below; gives it back when it was purged meanwhile.
    pub(crate) fn keep(&self, page: Page, started: Generation) -> Result<Arc<Page>, Arc<Page>> {
        let put = self.0.pages.put(page, started)?;
        self.0.tally.stored.count();
        self.drop_below(put.evicted);
        self.put_below(&put.page);
        Ok(put.page)
    }
}

/// What came so far and the rest, at the client's pace.
fn pour_on(chunks: Vec<Bytes>, rest: Body, pause: Duration) -> Body {
    let (faucet, tap) = tap(None);
    tokio::spawn(async move {
        for chunk in chunks {
            faucet.pour(Ok(http_body::Frame::data(chunk)));
        }
        pump(rest, &faucet, pause).await;
    });
    Body::Tap(tap)
}

fn is_slotted(headers: &HeaderMap) -> bool {
    headers.get(&PARLOR_SLOTS).is_some_and(|it| it.as_bytes().eq_ignore_ascii_case(b"on"))
}

/// An answer that never ends by itself.
fn is_endless(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

fn land(leader: Option<Leader>, landing: Landing) {
    if let Some(leader) = leader {
        leader.land(landing);
    }
}

pub(crate) fn origin_failed(name: &str, why: Forward, late: bool) -> Response<Body> {
    if late {
        let words = "The shop behind this address did not answer in time. Try again in a moment.\n";
        return own_words(StatusCode::GATEWAY_TIMEOUT, words, name, Did::Failed { why });
    }
    let words = "The shop behind this address could not be reached. Try again in a moment.\n";
    own_words(StatusCode::BAD_GATEWAY, words, name, Did::Failed { why })
}
