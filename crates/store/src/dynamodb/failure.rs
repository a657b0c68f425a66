//! What can come of one request, sorted by what can be done about it.

use super::attribute::Attributes;
use super::convert::owns;
use crate::error::StoreError;
use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};

/// More than one transaction takes: 100 actions.
pub(super) const ACTIONS_MAX: usize = 100;
/// What the service takes in one transaction is 4 MB, its own way of counting; less than that is not argued about.
pub(super) const TRANSACTION_BYTES_MAX: usize = 3_900_000;
/// An item may have 400 KB with its names; what is larger rests in parts of this size.
pub(super) const PART_BYTES: usize = 350_000;

#[derive(Debug)]
pub(super) enum Failure {
    /// Nothing happened, and it may be asked again at another moment: too much was asked, or another transaction was at it.
    Later(String),
    /// It is not known whether anything happened.
    Unknown(String),
    /// Nothing happened because conditions did not hold: one answer for each action.
    Refused(Vec<Refusal>),
    TooLarge,
    /// Nothing happened, and asking again does not help.
    Wrong(String),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Refusal {
    /// Whether this action's condition did not hold.
    pub(super) failed: bool,
    /// The item as it was instead, where the service says so.
    pub(super) item: Option<Attributes>,
}

impl Failure {
    pub(super) fn of<E>(error: SdkError<E, HttpResponse>) -> Failure
    where
        E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
        aws_sdk_dynamodb::Error: From<SdkError<E, HttpResponse>>,
    {
        let said = sentence(&error);
        let SdkError::ServiceError(context) = &error else {
            return match error {
                SdkError::ConstructionFailure(_) => Failure::Wrong(said),
                _ => Failure::Unknown(said),
            };
        };
        let (status, code) = (context.raw().status().as_u16(), context.err().code().unwrap_or_default().to_owned());
        let message = context.err().message().unwrap_or_default().to_owned();
        match &*code {
            "TransactionCanceledException" => canceled(error.into(), said),
            "ConditionalCheckFailedException" => {
                let item = match aws_sdk_dynamodb::Error::from(error) {
                    aws_sdk_dynamodb::Error::ConditionalCheckFailedException(failed) => failed.item,
                    _ => None,
                };
                Failure::Refused(vec![Refusal { failed: true, item: item.and_then(|item| owns(item).ok()) }])
            }
            "ThrottlingException"
            | "ProvisionedThroughputExceededException"
            | "RequestLimitExceeded"
            | "LimitExceededException"
            | "TransactionConflictException"
            | "ReplicatedWriteConflictException" => Failure::Later(said),
            "TransactionInProgressException" => Failure::Unknown(said),
            "ValidationException" if is_about_size(&message) => Failure::TooLarge,
            _ if status >= 500 => Failure::Unknown(said),
            _ => Failure::Wrong(said),
        }
    }
}

/// What went wrong, for people: what the service says itself, or else the innermost of what the library has to say.
fn sentence<E>(error: &SdkError<E, HttpResponse>) -> String
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
{
    if let SdkError::ServiceError(context) = error {
        let (code, message) = (context.err().code().unwrap_or("an error without a name"), context.err().message());
        return format!("{code}: {}", message.unwrap_or("the service says no more"));
    }
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let innermost = innermost.to_string();
    match innermost.to_lowercase() {
        // The library lists every place where it has looked, a line each.
        text if text.contains("credential") => {
            "nobody says who may use it: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile in ~/.aws, or the machine's role".into()
        }
        text if text.contains("region") => "nobody says where it is: add ?region=… to its address, or set AWS_REGION".into(),
        _ if matches!(error, SdkError::DispatchFailure(_)) => format!("nobody answers there: {innermost}"),
        _ => format!("{error}: {innermost}"),
    }
}

fn canceled(error: aws_sdk_dynamodb::Error, said: String) -> Failure {
    let aws_sdk_dynamodb::Error::TransactionCanceledException(canceled) = error else { return Failure::Unknown(said) };
    let reasons = canceled.cancellation_reasons.unwrap_or_default();
    let has = |codes: &[&str]| reasons.iter().any(|reason| reason.code().is_some_and(|code| codes.contains(&code)));
    // First of all: beside somebody else's transaction, which of our conditions did not hold is only half an answer.
    if has(&["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded"]) {
        return Failure::Later(said);
    }
    if has(&["ConditionalCheckFailed"]) {
        let refusal = |reason: aws_sdk_dynamodb::types::CancellationReason| Refusal {
            failed: reason.code() == Some("ConditionalCheckFailed"),
            item: reason.item.filter(|item| !item.is_empty()).and_then(|item| owns(item).ok()),
        };
        return Failure::Refused(reasons.into_iter().map(refusal).collect());
    }
    if reasons.iter().any(|reason| reason.message().is_some_and(is_about_size)) || has(&["ItemCollectionSizeLimitExceeded"]) {
        return Failure::TooLarge;
    }
    if reasons.is_empty() { Failure::Later(said) } else { Failure::Wrong(said) }
}

fn is_about_size(message: &str) -> bool {
    let message = message.to_lowercase();
    ["size has exceeded", "size exceeded", "exceeds the maximum", "cannot exceed 4", "less than or equal to 100", "larger than"]
        .iter()
        .any(|part| message.contains(part))
}

/// What callers are told of something that was tried often enough.
pub(super) fn given_up(last: Failure, may_have_happened: bool) -> StoreError {
    match last {
        Failure::Later(said) | Failure::Unknown(said) if may_have_happened => StoreError::Unavailable(said),
        Failure::Later(said) => {
            tracing::debug!(said, "the table was too busy for too long");
            StoreError::Busy
        }
        Failure::Unknown(said) | Failure::Wrong(said) => StoreError::Unavailable(said),
        Failure::TooLarge => StoreError::TooLarge { bytes: TRANSACTION_BYTES_MAX, writes: ACTIONS_MAX },
        Failure::Refused(_) => StoreError::Conflict,
    }
}
