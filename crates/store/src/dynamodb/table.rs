//! The one table: made by us on request, or by the tools that people make tables with.

use super::failure::Failure;
use crate::error::StoreError;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType, TableDescription, TableStatus,
    TimeToLiveSpecification, TimeToLiveStatus,
};
use std::time::Duration;

/// The attribute by which the service deletes what is over, some time later.
pub const TTL: &str = "ttl";

/// How often a new table is looked at until it can be used.
const LOOKS_MAX: usize = 120;
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Makes the table and switches its deleting on, whatever of that is not done yet. Answers whether the table was made now.
pub async fn create_table(client: &Client, table: &str) -> Result<bool, StoreError> {
    let key = |name: &str, kind| KeySchemaElement::builder().attribute_name(name).key_type(kind).build();
    let text = |name: &str| AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S).build();
    let whole = "a name and a type are given";
    let request = client.create_table().table_name(table).billing_mode(BillingMode::PayPerRequest);
    let request = request.key_schema(key("pk", KeyType::Hash).expect(whole)).key_schema(key("sk", KeyType::Range).expect(whole));
    let request = request.attribute_definitions(text("pk").expect(whole)).attribute_definitions(text("sk").expect(whole));
    let made = match request.send().await {
        Ok(_) => true,
        Err(error) if error.as_service_error().is_some_and(|error| error.is_resource_in_use_exception()) => false,
        Err(error) => return Err(unavailable(Failure::of(error))),
    };
    wait_until_active(client, table).await?;
    if !deletes_what_is_over(client, table).await? {
        let specification = TimeToLiveSpecification::builder().enabled(true).attribute_name(TTL).build().expect(whole);
        let request = client.update_time_to_live().table_name(table).time_to_live_specification(specification);
        request.send().await.map_err(|error| unavailable(Failure::of(error)))?;
    }
    Ok(made)
}

async fn wait_until_active(client: &Client, table: &str) -> Result<(), StoreError> {
    for _ in 0..LOOKS_MAX {
        let described = match client.describe_table().table_name(table).send().await {
            Ok(described) => described.table,
            // The service may take a moment to know of what it has just made.
            Err(error) if error.as_service_error().is_some_and(|error| error.is_resource_not_found_exception()) => None,
            Err(error) => return Err(unavailable(Failure::of(error))),
        };
        if let Some(described) = described.filter(|table| table.table_status() == Some(&TableStatus::Active)) {
            return keys_of(&described).map_err(|why| StoreError::Unavailable(why.into()));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Err(StoreError::Unavailable(format!("the table {table} was made, but cannot be used yet; try again in a minute")))
}

async fn deletes_what_is_over(client: &Client, table: &str) -> Result<bool, StoreError> {
    let described = client.describe_time_to_live().table_name(table).send().await;
    let described = described.map_err(|error| unavailable(Failure::of(error)))?;
    let described = described.time_to_live_description();
    let on = [TimeToLiveStatus::Enabled, TimeToLiveStatus::Enabling];
    Ok(described.is_some_and(|described| {
        described.time_to_live_status().is_some_and(|status| on.contains(status)) && described.attribute_name() == Some(TTL)
    }))
}

/// Looks whether the table can be used; one sentence when it cannot.
pub(super) async fn check(client: &Client, table: &str) -> Result<(), String> {
    let described = match client.describe_table().table_name(table).send().await {
        Ok(described) => described,
        Err(error) if error.as_service_error().is_some_and(|error| error.is_resource_not_found_exception()) => {
            return Err("there is no such table; `parlor dynamodb create-table` makes it".into());
        }
        Err(error) => return Err(words(Failure::of(error))),
    };
    if let Some(described) = described.table() {
        keys_of(described)?;
    }
    match deletes_what_is_over(client, table).await {
        Ok(true) => {}
        Ok(false) => tracing::warn!(table, "the table does not delete what is over: its attribute for that is {TTL}"),
        Err(error) => tracing::info!(table, %error, "whether the table deletes what is over could not be seen"),
    }
    Ok(())
}

/// Whether the table can be Parlor's.
fn keys_of(table: &TableDescription) -> Result<(), &'static str> {
    let keys: Vec<(&str, &KeyType)> = table.key_schema().iter().map(|key| (key.attribute_name(), key.key_type())).collect();
    if keys == [("pk", &KeyType::Hash), ("sk", &KeyType::Range)] {
        return Ok(());
    }
    Err("its keys are not pk and sk; give Parlor a table of its own")
}

fn unavailable(failure: Failure) -> StoreError {
    StoreError::Unavailable(words(failure))
}

fn words(failure: Failure) -> String {
    match failure {
        Failure::Later(said) | Failure::Unknown(said) | Failure::Wrong(said) => said,
        other @ (Failure::Refused(_) | Failure::TooLarge) => format!("{other:?}"),
    }
}

/// The table for CloudFormation.
pub fn cloudformation(table: &str) -> String {
    format!(
        r"AWSTemplateFormatVersion: '2010-09-09'
Description: The table of a Parlor server
Resources:
  Rooms:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: Retain
    UpdateReplacePolicy: Retain
    Properties:
      TableName: {table}
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - AttributeName: pk
          AttributeType: S
        - AttributeName: sk
          AttributeType: S
      KeySchema:
        - AttributeName: pk
          KeyType: HASH
        - AttributeName: sk
          KeyType: RANGE
      TimeToLiveSpecification:
        AttributeName: {TTL}
        Enabled: true
      PointInTimeRecoverySpecification:
        PointInTimeRecoveryEnabled: true
"
    )
}

/// The table for Terraform.
pub fn terraform(table: &str) -> String {
    format!(
        r#"resource "aws_dynamodb_table" "parlor" {{
  name         = "{table}"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "pk"
  range_key    = "sk"

  attribute {{
    name = "pk"
    type = "S"
  }}

  attribute {{
    name = "sk"
    type = "S"
  }}

  ttl {{
    attribute_name = "{TTL}"
    enabled        = true
  }}

  point_in_time_recovery {{
    enabled = true
  }}

  lifecycle {{
    prevent_destroy = true
  }}
}}
"#
    )
}

/// What a server must be allowed, and nothing else. Scanning is for `parlor move` alone.
pub fn policy(table_arn: &str) -> String {
    format!(
        r#"{{
  "Version": "2012-10-17",
  "Statement": [
    {{
      "Sid": "Rooms",
      "Effect": "Allow",
      "Action": [
        "dynamodb:BatchGetItem",
        "dynamodb:BatchWriteItem",
        "dynamodb:ConditionCheckItem",
        "dynamodb:DeleteItem",
        "dynamodb:DescribeTable",
        "dynamodb:DescribeTimeToLive",
        "dynamodb:GetItem",
        "dynamodb:PutItem",
        "dynamodb:Query",
        "dynamodb:UpdateItem"
      ],
      "Resource": "{table_arn}"
    }},
    {{
      "Sid": "Move",
      "Effect": "Allow",
      "Action": "dynamodb:Scan",
      "Resource": "{table_arn}"
    }}
  ]
}}
"#
    )
}
