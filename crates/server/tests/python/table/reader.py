"""A table as boto3 sees it: Amazon's own client for Python, which knows nothing of Parlor."""

import contextlib
import json

import boto3
from botocore.config import Config

from table.children import CREDENTIALS


def connect(url, service="dynamodb"):
    """A client that asks once: what it counts is what was asked."""
    return boto3.client(
        service, endpoint_url=url, region_name=CREDENTIALS["AWS_DEFAULT_REGION"], aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        config=Config(retries={"total_max_attempts": 1}, connect_timeout=5, read_timeout=30, max_pool_connections=16))


class Reader:
    def __init__(self, url, table):
        self.client, self.table, self.calls = connect(url), table, []
        self.client.meta.events.register("before-call.dynamodb", lambda model, **_: self.calls.append(model.name))

    @contextlib.contextmanager
    def one(self, operation):
        """An access pattern is one call; the block must make this one and no other."""
        before = len(self.calls)
        yield
        assert self.calls[before:] == [operation], self.calls[before:]

    def get(self, pk, sk):
        """One item, by GetItem; nothing where there is none."""
        with self.one("GetItem"):
            return self.client.get_item(TableName=self.table, Key={"pk": {"S": pk}, "sk": {"S": sk}}, ConsistentRead=True).get("Item")

    def query(self, pk, begins=""):
        """A room, or what of it begins so, by one Query: items by their sort keys."""
        words = "pk = :pk AND begins_with(sk, :sk)" if begins else "pk = :pk"
        values = {":pk": {"S": pk}, **({":sk": {"S": begins}} if begins else {})}
        with self.one("Query"):
            answer = self.client.query(TableName=self.table, KeyConditionExpression=words, ExpressionAttributeValues=values, ConsistentRead=True)
        assert "LastEvaluatedKey" not in answer, "a small room is one page"
        return {item["sk"]["S"]: item for item in answer["Items"]}

    def scan(self):
        """Everything that is there."""
        pages = self.client.get_paginator("scan").paginate(TableName=self.table, ConsistentRead=True)
        return [item for page in pages for item in page["Items"]]

    def ttl(self):
        return self.client.describe_time_to_live(TableName=self.table)["TimeToLiveDescription"]


def everything(items):
    """All names, texts and bytes of items as one text, to look for what must not be in it."""
    return json.dumps(items, ensure_ascii=False, default=lambda value: bytes(value).decode("utf-8", "replace"))


def number(item, name):
    """A native whole number."""
    return int(item[name]["N"])


def shape(item, **types):
    """The item has these attributes, each of this native type."""
    for name, kind in types.items():
        assert name in item, f"{name} is not in {item}"
        assert list(item[name]) == [kind], f"{name} is {item[name]}, not of type {kind}"
