//! Bad weather between the store and the server: requests refused, delayed, done without an answer, or answered in parts.
//!
//! It sits below the service's library, so everything above is what is used in earnest. Every request passes here and can be
//! looked at.

use super::super::head::TOUCHES_MAX;
use aws_sdk_dynamodb::config::{RuntimeComponents, SharedHttpClient};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What is done to requests that nothing was planned for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Harm {
    None,
    /// One in so many requests meets with one of the faults, as the seed has it.
    OneIn(u64, u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// Refused because too much was asked.
    Throttled,
    /// Refused because another transaction is at it.
    Conflict,
    /// Lost on the way there.
    LostRequest,
    /// Done, and the answer lost.
    LostReply,
    /// Done, the answer lost, and the token by which the service knows an asking again forgotten as after its ten minutes.
    LostReplyAndToken,
    /// Done, and answered with an error of the server's.
    DoneButBroken,
    /// Not done, and answered with an error of the server's.
    Broken,
    /// Half of a batch is left over.
    Unprocessed,
    /// The beginning of a query's page is older than its end.
    Torn,
}

#[derive(Clone)]
pub(super) struct Faults(Arc<Shared>);

struct Shared {
    inner: SharedHttpClient,
    harm: Harm,
    dice: Mutex<u64>,
    /// Faults for the next requests of an operation, before any by chance.
    planned: Mutex<VecDeque<(&'static str, Fault)>>,
    seen: Mutex<Vec<(String, Value)>>,
    done: Mutex<Vec<Fault>>,
}

impl std::fmt::Debug for Faults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Faults")
    }
}

impl Faults {
    pub(super) fn new(inner: SharedHttpClient, harm: Harm) -> Faults {
        let seed = if let Harm::OneIn(_, seed) = harm { seed } else { 0 };
        let (planned, seen, done) = Default::default();
        Faults(Arc::new(Shared { inner, harm, dice: Mutex::new(seed), planned, seen, done }))
    }

    pub(super) fn client(&self) -> SharedHttpClient {
        SharedHttpClient::new(self.clone())
    }

    pub(super) fn plan(&self, operation: &'static str, fault: Fault) {
        self.0.planned.lock().expect("no test panics here").push_back((operation, fault));
    }

    /// The requests until now, by operation.
    pub(super) fn seen(&self) -> Vec<(String, Value)> {
        self.0.seen.lock().expect("no test panics here").clone()
    }

    /// The faults that were met with.
    pub(super) fn met(&self) -> Vec<Fault> {
        self.0.done.lock().expect("no test panics here").clone()
    }

    fn roll(&self, bound: u64) -> u64 {
        let mut dice = self.0.dice.lock().expect("no test panics here");
        let mut script = crate::conformance::Script::new(*dice);
        *dice = script.roll();
        *dice % bound
    }

    fn next(&self, operation: &str) -> Option<Fault> {
        let mut planned = self.0.planned.lock().expect("no test panics here");
        if let Some(at) = planned.iter().position(|(of, _)| *of == operation) {
            return planned.remove(at).map(|(_, fault)| fault);
        }
        drop(planned);
        let Harm::OneIn(many, _) = self.0.harm else { return None };
        if self.roll(many) != 0 {
            return None;
        }
        use Fault::*;
        let general = [Throttled, Conflict, LostRequest, LostReply, LostReply, DoneButBroken, Broken];
        Some(match operation {
            "BatchGetItem" | "BatchWriteItem" => Unprocessed,
            "Query" if self.roll(2) == 0 => Torn,
            _ => general[self.roll(general.len() as u64) as usize],
        })
    }
}

impl HttpClient for Faults {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(Way { faults: self.clone(), inner: self.0.inner.http_connector(settings, components) })
    }
}

#[derive(Clone, Debug)]
struct Way {
    faults: Faults,
    inner: SharedHttpConnector,
}

impl HttpConnector for Way {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let way = self.clone();
        HttpConnectorFuture::new(async move { way.go(request).await })
    }
}

impl Way {
    async fn go(&self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let target = request.headers().get("x-amz-target").unwrap_or_default().to_owned();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        let body: Value = serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default();
        self.faults.0.seen.lock().expect("no test panics here").push((operation.clone(), body.clone()));
        let Some(fault) = self.faults.next(&operation) else { return self.inner.call(request).await };
        self.faults.0.done.lock().expect("no test panics here").push(fault);
        match fault {
            Fault::Throttled => Ok(error(400, "ThrottlingException", json!({"message": "Rate exceeded"}))),
            Fault::Conflict => Ok(conflict(&operation, &body)),
            Fault::LostRequest => Err(lost()),
            Fault::LostReply => {
                self.inner.call(request).await?;
                Err(lost())
            }
            Fault::LostReplyAndToken => {
                let mut body = body;
                if body.get("ClientRequestToken").is_some() {
                    body["ClientRequestToken"] = json!(format!("forgotten-{}", self.faults.roll(u64::MAX)));
                }
                self.pass(request, &body).await?;
                Err(lost())
            }
            Fault::DoneButBroken => {
                self.inner.call(request).await?;
                Ok(error(500, "InternalServerError", json!({"message": "something went wrong here"})))
            }
            Fault::Broken => Ok(error(503, "ServiceUnavailable", json!({"message": "try again"}))),
            Fault::Unprocessed => self.half(request, &operation, body).await,
            Fault::Torn => self.torn(request).await,
        }
    }

    /// Passes half of a batch on, and gives the other half back.
    async fn half(&self, request: HttpRequest, operation: &str, mut body: Value) -> Result<HttpResponse, ConnectorError> {
        let mut left = json!({});
        for (table, asked) in body["RequestItems"].as_object_mut().into_iter().flatten() {
            let list = if operation == "BatchGetItem" { asked.get_mut("Keys").expect("it has keys") } else { asked };
            let list = list.as_array_mut().expect("it is a list");
            let over = list.split_off(list.len() / 2);
            let all = list.is_empty();
            left[table] = if operation == "BatchGetItem" { json!({"Keys": over, "ConsistentRead": true}) } else { json!(over) };
            if all {
                // A service that takes nothing at all answers so too.
                let key = if operation == "BatchGetItem" { "UnprocessedKeys" } else { "UnprocessedItems" };
                return Ok(answer(200, &json!({ key: left, "Responses": {} })));
            }
        }
        let mut answered = self.send(request, &body).await?;
        answered[if operation == "BatchGetItem" { "UnprocessedKeys" } else { "UnprocessedItems" }] = left;
        Ok(answer(200, &answered))
    }

    /// Asks twice, and makes one page of the first answer's beginning and the second one's end; or the other way round. No more
    /// commits lie between them than the head names: each of them takes about as long as a page does.
    async fn torn(&self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let body: Value = serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default();
        let again = request.try_clone().expect("a body in memory");
        let first = self.send(request, &body).await?;
        tokio::time::sleep(Duration::from_millis(self.faults.roll(30))).await;
        let second = self.send(again, &body).await?;
        if second.get("LastEvaluatedKey").is_some() || first.get("LastEvaluatedKey").is_some() {
            return Ok(answer(200, &second));
        }
        let items = |answer: &Value| answer["Items"].as_array().cloned().unwrap_or_default();
        let name = |item: &Value| item["sk"]["S"].as_str().unwrap_or_default().to_owned();
        let seq = |answer: &Value| {
            let head = items(answer).into_iter().find(|item| name(item) == "ROOM")?;
            head["position"]["S"].as_str()?.split_once('-')?.1.parse::<u64>().ok()
        };
        let far = seq(&first).zip(seq(&second)).is_some_and(|(first, second)| second - first > TOUCHES_MAX as u64);
        if far {
            return Ok(answer(200, &second));
        }
        let (first, second) = if self.faults.roll(2) == 0 { (first, second) } else { (second, first) };
        let mut names: Vec<String> = items(&second).iter().map(name).collect();
        names.sort();
        let cut = names.get(self.faults.roll(names.len() as u64 + 1) as usize).cloned().unwrap_or_default();
        let (older, newer) = (items(&first), items(&second));
        let older = older.into_iter().filter(|item| name(item) < cut);
        let page: Vec<Value> = older.chain(newer.into_iter().filter(|item| name(item) >= cut)).collect();
        let mut torn = second;
        torn["Count"] = json!(page.len());
        torn["Items"] = json!(page);
        Ok(answer(200, &torn))
    }

    /// Passes a request on with another body.
    async fn pass(&self, mut request: HttpRequest, body: &Value) -> Result<HttpResponse, ConnectorError> {
        let text = body.to_string();
        request.headers_mut().insert("content-length", text.len().to_string());
        *request.body_mut() = SdkBody::from(text);
        self.inner.call(request).await
    }

    async fn send(&self, request: HttpRequest, body: &Value) -> Result<Value, ConnectorError> {
        let response = self.pass(request, body).await?;
        let (status, body) = (response.status().as_u16(), ByteStream::new(response.into_body()).collect().await);
        let body = body.map_err(|error| ConnectorError::other(error.into(), None))?.into_bytes();
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        Ok(serde_json::from_slice(&body).expect("the server speaks JSON"))
    }
}

fn lost() -> ConnectorError {
    ConnectorError::io(std::io::Error::other("nothing was heard").into())
}

fn answer(status: u16, body: &Value) -> HttpResponse {
    let mut response = HttpResponse::new(status.try_into().expect("a status"), SdkBody::from(body.to_string()));
    response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
    response
}

fn error(status: u16, name: &str, mut body: Value) -> HttpResponse {
    body["__type"] = json!(format!("com.amazonaws.dynamodb.v20120810#{name}"));
    answer(status, &body)
}

fn conflict(operation: &str, body: &Value) -> HttpResponse {
    if !operation.starts_with("Transact") {
        return error(400, "TransactionConflictException", json!({"message": "Transaction is ongoing for the item"}));
    }
    let count = body["TransactItems"].as_array().map_or(1, Vec::len);
    let mut reasons = vec![json!({"Code": "None"}); count];
    reasons[count - 1] = json!({"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"});
    let message = "Transaction cancelled, please refer cancellation reasons for specific reasons";
    error(400, "TransactionCanceledException", json!({"Message": message, "CancellationReasons": reasons}))
}
