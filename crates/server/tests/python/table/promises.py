"""What Amazon's service promises and Parlor's store relies on, asked of a peer with nothing but boto3.

A peer that breaks a promise cannot show that Parlor is right where it needs that promise. `BROKEN` says which those are;
a promise that is broken and not listed fails the run, and so does one that is listed and kept.
"""

import threading

from botocore.exceptions import ClientError

from table.reader import connect

TEXT = {"S": "x"}


def failure(call, **words):
    """The answer to what must be refused."""
    try:
        call(**words)
    except ClientError as error:
        return error.response
    raise AssertionError("it was done")


def code(answer):
    return answer["Error"]["Code"]


def item(name, **attributes):
    return {"pk": {"S": name}, "sk": TEXT, **attributes}


def put(table, name, condition=None, **attributes):
    words = {"TableName": table, "Item": item(name, **attributes)}
    return {"Put": {**words, **({"ConditionExpression": condition} if condition else {})}}


def read(client, table, name):
    return client.get_item(TableName=table, Key=item(name), ConsistentRead=True).get("Item")


def cost(answer):
    """What it cost in all, in the service's units."""
    consumed = answer["ConsumedCapacity"]
    return sum(each["CapacityUnits"] for each in (consumed if isinstance(consumed, list) else [consumed]))


def a_transaction_is_whole_or_nothing(client, table):
    client.put_item(TableName=table, Item=item("whole-1"))
    items = [put(table, "whole-2"), put(table, "whole-1", "attribute_not_exists(pk)")]
    assert code(failure(client.transact_write_items, TransactItems=items)) == "TransactionCanceledException"
    assert read(client, table, "whole-2") is None


def a_refused_transaction_shows_what_stood_in_the_way(client, table):
    client.put_item(TableName=table, Item=item("way", n={"N": "7"}))
    items = [put(table, "way-2"), put(table, "way", "attribute_not_exists(pk)")]
    items[1]["Put"]["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    reasons = failure(client.transact_write_items, TransactItems=items)["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["None", "ConditionalCheckFailed"], reasons
    assert reasons[1]["Item"] == item("way", n={"N": "7"}), reasons


def a_refused_write_shows_what_stood_in_the_way(client, table):
    client.put_item(TableName=table, Item=item("alone", n={"N": "7"}))
    words = {"TableName": table, "ConditionExpression": "attribute_not_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    for call, what in [(client.put_item, {"Item": item("alone")}), (client.delete_item, {"Key": item("alone")}),
                       (client.update_item, {"Key": item("alone"), "UpdateExpression": "SET n = pk"})]:
        answer = failure(call, **words, **what)
        assert code(answer) == "ConditionalCheckFailedException" and answer["Item"]["n"] == {"N": "7"}, answer


def a_transaction_that_is_asked_again_under_its_token_is_done_once(client, table):
    client.put_item(TableName=table, Item=item("token", n={"N": "0"}))
    words = {"TableName": table, "Key": item("token"), "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
    for _ in range(2):
        client.transact_write_items(TransactItems=[{"Update": words}], ClientRequestToken="the-same-token-twice")
    assert read(client, table, "token")["n"] == {"N": "1"}


def a_token_is_for_one_request(client, table):
    client.transact_write_items(TransactItems=[put(table, "one")], ClientRequestToken="a-token-for-one")
    answer = failure(client.transact_write_items, TransactItems=[put(table, "another")], ClientRequestToken="a-token-for-one")
    assert code(answer) == "IdempotentParameterMismatchException", answer


def transactions_at_the_same_time_lose_nothing(client, table):
    """Several rounds, since who is lucky once may not be so again."""
    for turn in range(8):
        name, kept = f"race-{turn}", []
        client.put_item(TableName=table, Item=item(name, n={"N": "0"}))

        def count():
            for _ in range(10):
                seen = read(client, table, name)["n"]
                move = {"TableName": table, "Key": item(name), "UpdateExpression": "SET n = :next", "ConditionExpression": "n = :seen",
                        "ExpressionAttributeValues": {":seen": seen, ":next": {"N": str(int(seen["N"]) + 1)}}}
                try:
                    client.transact_write_items(TransactItems=[{"Update": move}])
                    kept.append(seen)
                except ClientError as error:
                    assert code(error.response) == "TransactionCanceledException", error

        threads = [threading.Thread(target=count) for _ in range(8)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        counted = int(read(client, table, name)["n"]["N"])
        assert counted == len(kept), f"{len(kept)} were said to be done, and {counted} are (round {turn})"


def no_item_is_twice_in_a_transaction(client, table):
    answer = failure(client.transact_write_items, TransactItems=[put(table, "twice"), put(table, "twice")])
    assert code(answer) == "ValidationException", answer


def a_transaction_has_at_most_100_actions(client, table):
    items = [put(table, f"many-{n}") for n in range(101)]
    client.transact_write_items(TransactItems=items[:100])
    assert code(failure(client.transact_write_items, TransactItems=items)) == "ValidationException"


def a_transaction_has_at_most_4_mb(client, table):
    items = [put(table, f"large-{n}", b={"B": b"x" * 390_000}) for n in range(12)]
    assert code(failure(client.transact_write_items, TransactItems=items)) in ("ValidationException", "TransactionCanceledException")


def an_item_has_at_most_400_kb(client, table):
    answer = failure(client.put_item, TableName=table, Item=item("heavy", b={"B": b"x" * 410_000}))
    assert code(answer) == "ValidationException", answer


def a_transactions_cost_is_told(client, table):
    """Twice what the same writes cost alone, per KB begun."""
    items = [put(table, "cost-1"), put(table, "cost-2", b={"B": b"x" * 1500})]
    assert cost(client.transact_write_items(TransactItems=items, ReturnConsumedCapacity="TOTAL")) == 6.0, "not 6"


def a_writes_cost_is_told(client, table):
    answer = client.put_item(TableName=table, Item=item("cost-3", b={"B": b"x" * 1500}), ReturnConsumedCapacity="TOTAL")
    assert cost(answer) == 2.0, answer


def a_small_reads_cost_is_told(client, table):
    """Half where a late answer will do, twice where all are of one moment."""
    client.put_item(TableName=table, Item=item("cost-4"))
    words = {"TableName": table, "ReturnConsumedCapacity": "TOTAL"}
    query = {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": "cost-4"}}}
    gets = [{"Get": {"TableName": table, "Key": item(name)}} for name in ("cost-1", "cost-4")]
    costs = [
        cost(client.get_item(Key=item("cost-4"), ConsistentRead=True, **words)),
        cost(client.query(ConsistentRead=True, **query, **words)),
        cost(client.query(ConsistentRead=False, **query, **words)),
        cost(client.transact_get_items(TransactItems=gets, ReturnConsumedCapacity="TOTAL")),
    ]
    assert costs == [1.0, 1.0, 0.5, 4.0], costs


def a_reads_cost_grows_with_what_is_read(client, table):
    """A unit for 4 KB begun, of all that a query found together."""
    for n in range(3):
        client.put_item(TableName=table, Item={"pk": {"S": "cost-5"}, "sk": {"S": str(n)}, "b": {"B": b"x" * 3000}})
    answer = client.query(TableName=table, ReturnConsumedCapacity="TOTAL", ConsistentRead=True, KeyConditionExpression="pk = :pk",
                          ExpressionAttributeValues={":pk": {"S": "cost-5"}})
    assert cost(answer) == 3.0, answer["ConsumedCapacity"]


def a_page_ends_at_1_mb(client, table):
    for n in range(5):
        client.put_item(TableName=table, Item={"pk": {"S": "page"}, "sk": {"S": str(n)}, "b": {"B": b"x" * 350_000}})
    words = {"TableName": table, "KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": "page"}}}
    pages = [client.query(**words)]
    while "LastEvaluatedKey" in pages[-1]:
        pages.append(client.query(ExclusiveStartKey=pages[-1]["LastEvaluatedKey"], **words))
    counts = [page["Count"] for page in pages]
    assert sum(counts) == 5 and max(counts) <= 3, counts


def a_path_is_set_in_a_map_and_needs_the_map(client, table):
    client.put_item(TableName=table, Item=item("path", data={"M": {"a.b": {"N": "1"}}}))
    words = {"TableName": table, "ExpressionAttributeNames": {"#d": "data", "#k": "a.b"}, "ExpressionAttributeValues": {":v": {"BOOL": True}}}
    client.update_item(Key=item("path"), UpdateExpression="SET #d.#k = :v", **words)
    assert read(client, table, "path")["data"] == {"M": {"a.b": {"BOOL": True}}}
    answer = failure(client.update_item, Key=item("no-path"), UpdateExpression="SET #d.#k = :v", **words)
    assert code(answer) == "ValidationException", answer


def numbers_keep_38_digits_and_not_how_they_are_written(client, table):
    digits = "12345678901234567890123456789012345678"
    client.put_item(TableName=table, Item=item("number", a={"N": digits}, b={"N": "2.50"}, c={"N": "1e3"}))
    found = read(client, table, "number")
    assert [found[name]["N"] for name in "abc"] == [digits, "2.5", "1000"], found
    assert code(failure(client.put_item, TableName=table, Item=item("number", a={"N": digits + "9"}))) == "ValidationException"


def what_was_there_is_told_when_it_is_replaced(client, table):
    client.put_item(TableName=table, Item=item("old", n={"N": "1"}))
    was = client.put_item(TableName=table, Item=item("old"), ReturnValues="ALL_OLD")["Attributes"]
    assert was == item("old", n={"N": "1"}), was
    assert client.delete_item(TableName=table, Key=item("old"), ReturnValues="ALL_OLD")["Attributes"] == item("old")


def a_query_is_of_a_range_of_names_in_the_order_of_their_bytes(client, table):
    names = ["CLIENT#a", "MEMBER#b", "PARTS", "ROOM", "ROOM#", "Z", "é"]
    for name in reversed(names):
        client.put_item(TableName=table, Item={"pk": {"S": "range"}, "sk": {"S": name}})
    words = {"TableName": table, "ConsistentRead": True, "ExpressionAttributeNames": {"#p": "pk", "#s": "sk"}}
    some = client.query(KeyConditionExpression="#p = :p AND #s BETWEEN :a AND :b", **words,
                        ExpressionAttributeValues={":p": {"S": "range"}, ":a": {"S": "MEMBER#"}, ":b": {"S": "ROOM"}})
    assert [each["sk"]["S"] for each in some["Items"]] == ["MEMBER#b", "PARTS", "ROOM"], some
    words["ExpressionAttributeNames"] = {"#p": "pk"}
    back = client.query(KeyConditionExpression="#p = :p", ScanIndexForward=False, Limit=3, **words,
                        ExpressionAttributeValues={":p": {"S": "range"}})
    assert [each["sk"]["S"] for each in back["Items"]] == ["é", "Z", "ROOM#"], back


def a_batch_reads_and_deletes(client, table):
    keys = [item(f"batch-{n}") for n in range(25)]
    for each in keys:
        client.put_item(TableName=table, Item=each)
    found = client.batch_get_item(RequestItems={table: {"Keys": keys, "ConsistentRead": True}})
    assert len(found["Responses"][table]) == 25 and not found["UnprocessedKeys"]
    left = client.batch_write_item(RequestItems={table: [{"DeleteRequest": {"Key": each}} for each in keys]})
    assert not left["UnprocessedItems"] and read(client, table, "batch-3") is None


PROMISES = [
    a_transaction_is_whole_or_nothing,
    a_refused_transaction_shows_what_stood_in_the_way,
    a_refused_write_shows_what_stood_in_the_way,
    a_transaction_that_is_asked_again_under_its_token_is_done_once,
    a_token_is_for_one_request,
    no_item_is_twice_in_a_transaction,
    a_transaction_has_at_most_100_actions,
    a_transaction_has_at_most_4_mb,
    an_item_has_at_most_400_kb,
    a_transactions_cost_is_told,
    a_writes_cost_is_told,
    a_small_reads_cost_is_told,
    a_reads_cost_grows_with_what_is_read,
    a_page_ends_at_1_mb,
    a_path_is_set_in_a_map_and_needs_the_map,
    numbers_keep_38_digits_and_not_how_they_are_written,
    what_was_there_is_told_when_it_is_replaced,
    a_query_is_of_a_range_of_names_in_the_order_of_their_bytes,
    a_batch_reads_and_deletes,
    transactions_at_the_same_time_lose_nothing,
]

BROKEN = {
    "ministack": {
        "a_reads_cost_grows_with_what_is_read": "a read of any size costs one unit, or half of one",
    },
    "moto": {
        "a_transaction_that_is_asked_again_under_its_token_is_done_once": "it does not look at the token and does it again",
        "a_token_is_for_one_request": "it does not look at the token",
        "a_transaction_has_at_most_4_mb": "it takes any size",
        "a_transactions_cost_is_told": "it says nothing of what a transaction cost",
        "a_writes_cost_is_told": "a write of any size costs one unit",
        "a_small_reads_cost_is_told": "it does not look at whether the read is consistent",
        "a_reads_cost_grows_with_what_is_read": "a read of any size costs the same",
        "numbers_keep_38_digits_and_not_how_they_are_written": "it keeps numbers as they were written",
        "transactions_at_the_same_time_lose_nothing": "a transaction that is refused takes back what others wrote meanwhile",
    },
}


# Broken only when two meet: a peer that is lucky has not mended it.
BY_CHANCE = {"transactions_at_the_same_time_lose_nothing"}


def ask_all(peer):
    """Every promise on a table of its own, and a line for each."""
    client, table, broken = connect(peer.url), "promises", BROKEN[peer.name]
    keys = [("pk", "HASH"), ("sk", "RANGE")]
    client.create_table(
        TableName=table, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in keys],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name, _ in keys])
    for promise in PROMISES:
        name, said = promise.__name__, promise.__name__.replace("_", " ")
        try:
            promise(client, table)
            why = None
        except (AssertionError, KeyError, ClientError) as error:
            why = error
        if why is None and name in broken and name in BY_CHANCE:
            print(f"{peer.name} was lucky: {said}; all the same, {broken[name]}", flush=True)
            continue
        if why is None and name in broken:
            raise AssertionError(f"{peer.name} keeps this now, so it is to be taken off the list: {said}")
        if why is not None and name not in broken:
            raise AssertionError(f"{peer.name} breaks this, and the list does not say so: {said}") from why
        print(f"{peer.name}: {said}" if why is None else f"{peer.name} CANNOT SHOW that {said}: {broken[name]}", flush=True)
