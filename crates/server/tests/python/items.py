"""Live rooms on DynamoDB, read by a client that was not written here: are they what documents 001 and 003 say?

    python items.py PARLOR MINISTACK

starts the program PARLOR on ministack, which lies in the folder MINISTACK, and then on moto; plays rooms over REST, and reads
the table with boto3 after every act. What a peer does otherwise than Amazon's service is found out first, and must be
exactly what `table/promises.py` lists.
"""

import hashlib
import json
import signal
import sys
import tempfile
import time
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError

from table import poker, promises, spaces
from table.children import Parlor, free_port, ministack, moto, run, until
from table.listener import Listener
from table.poker import HOST, now
from table.reader import Reader, connect, everything, number, shape

# The whole run, which takes less than a minute on two cores that are not busy.
SECONDS_MAX = 600
DOCUMENT = Path(__file__).parents[4] / "docs/dynamodb.md"


class House:
    """One peer with its table, and what was done there."""

    def __init__(self, peer, program, folder):
        self.peer, self.program, self.folder = peer, program, folder
        self.reader = Reader(peer.url, "parlor")
        self.secrets = []

    def store(self, table="parlor"):
        return f"dynamodb://{table}?endpoint={self.peer.url}"

    def serve(self, store=None):
        return Parlor(self.program, store or self.store(), self.folder)

    def node(self):
        """A server that is one of several."""
        port = free_port()
        more = ["--node-address", f"http://127.0.0.1:{port}", "--node-peers", "127.0.0.1", "--node-secret", "one-secret-for-all-of-the-nodes-here"]
        return Parlor(self.program, self.store(), self.folder, *more, port=port)

    def command(self, *words):
        code, said = run(self.program, *words, folder=self.folder)
        assert code == 0, f"parlor {' '.join(words)}: exit {code}\n{said}"
        return said

    def play(self, acts):
        """Prints what a part shows, and gives what it leaves."""
        while True:
            try:
                self.shows(next(acts))
            except StopIteration as end:
                return end.value

    def shows(self, what):
        print(f"{self.peer.name}: {what}", flush=True)


def the_table_is_made(house):
    said = house.command("dynamodb", "create-table", house.store())
    assert "The table is made" in said, said
    assert "was there already" in house.command("dynamodb", "create-table", house.store())
    described = house.reader.client.describe_table(TableName="parlor")["Table"]
    assert keys(described) == [("pk", "HASH"), ("sk", "RANGE")]
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    house.shows("create-table makes a table with pk and sk, billed on demand; a second time it changes nothing")
    ttl = house.reader.ttl()
    assert ttl["TimeToLiveStatus"] in ("ENABLED", "ENABLING") and ttl["AttributeName"] == "ttl", ttl
    house.shows("what is over is deleted by the service: TTL is on, by the attribute `ttl`")


def a_printed_template_makes_the_table(house):
    template = house.command("dynamodb", "cloudformation", "parlor.stack")
    stacks = connect(house.peer.url, "cloudformation")
    stacks.create_stack(StackName="parlor-table", TemplateBody=template)
    until("the stack is there", lambda: stacks.describe_stacks()["Stacks"][0]["StackStatus"] == "CREATE_COMPLETE")
    described = house.reader.client.describe_table(TableName="parlor.stack")["Table"]
    assert keys(described) == [("pk", "HASH"), ("sk", "RANGE")] and described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    house.shows("the template that is printed for CloudFormation makes the same table")


def a_printed_template_switches_the_ttl_on(house):
    assert Reader(house.peer.url, "parlor.stack").ttl()["TimeToLiveStatus"] == "ENABLED"


def create_table_does_what_is_missing(house):
    """A table that others made, and that deletes nothing yet: in both peers this is the template's."""
    reader = Reader(house.peer.url, "parlor.stack")
    assert "is as it should be" in house.command("dynamodb", "create-table", house.store("parlor.stack"))
    assert reader.ttl()["TimeToLiveStatus"] in ("ENABLED", "ENABLING")
    with house.serve(house.store("parlor.stack")) as parlor:
        assert reader.get(poker.Room(parlor).pk, "ROOM")
    house.shows("create-table switches the TTL on where it is off, and a server runs on a table that others made")


def the_printed_policy_is_the_documented_one(house):
    policy = house.command("dynamodb", "policy", "arn:aws:dynamodb:eu-central-1:123456789012:table/parlor")
    json.loads(policy)
    assert policy in DOCUMENT.read_text(), "docs/dynamodb.md has another policy than `parlor dynamodb policy` prints"
    house.shows("the policy that is printed is the one in docs/dynamodb.md")


def rooms_are_played(house):
    with house.serve() as parlor:
        house.room = house.play(poker.play(parlor, house.reader))
        house.space = house.play(spaces.play(parlor, house.reader))
        house.play(spaces.presence(parlor, house.reader, house.space))
        house.token = house.play(spaces.session(parlor, house.reader))
        gone = [house.play(poker.delete(parlor, house.reader)), house.play(spaces.delete(parlor, house.reader))]
        house.secrets += [house.token, *(key for made in [house.room, house.space, *gone] for key in made.secrets())]


def who_listens_is_a_member(house):
    """Document 001's plan C, by node: MEMBER# items say through which node people are here, and where it is told of changes."""
    space, reader = house.space, house.reader
    with house.node() as far, house.node() as near:
        with Listener(far.url) as listener:
            listener.enter(space.path.removeprefix("/v1/rooms/"), space.user_key)
            there = lambda: [item for item in reader.query(space.pk, "MEMBER#").values() if item["here"]["L"]]
            members = until("the member stands there", there)
            assert len(members) == 1, members
            shape(members[0], here="L", until="N", ttl="N", address="S")
            assert members[0]["address"]["S"] == far.url and len(members[0]["here"]["L"]) == 1 and number(members[0], "until") > now()
            for turn in range(3):
                began = time.monotonic()
                near.do("POST", f"{space.path}/map_set", {"map": "board", "key": "near", "value": turn}, **{HOST: space.host_key})
                listener.hears(lambda message: f"'key': 'near', 'value': {turn}" in str(message.get("done")))
                waited = time.monotonic() - began
                assert waited < 5, f"a change at the other node came after {waited:.1f} s"
        until("it goes with them", lambda: not there())
        with Listener(far.url) as listener:
            listener.enter(space.path.removeprefix("/v1/rooms/"), space.user_key)
            until("they are there again", there)
            far.stop()
            assert not there(), "a node that is stopped takes its word back"
    house.shows("who listens is a member: MEMBER# with the node's address, its people, and until when that holds; it goes when they go")
    house.shows("a change at one node is heard at another at once")


def no_secret_is_in_the_table(house):
    text = everything(house.reader.scan())
    for secret in house.secrets:
        assert len(secret) > 60 and secret not in text and secret[3:] not in text, "a secret is in the table"
    hashes = sum(hashlib.sha256(secret.encode()).hexdigest() in text for secret in house.secrets)
    assert hashes >= 5, "of those that live, the hashes are there: so the right thing was looked for"
    house.shows(f"none of {len(house.secrets)} host keys, user keys and tokens is in a full scan, with or without its prefix; hashes are")


def a_room_goes_on_after_kill_9(house):
    room, space = house.room, house.space
    with house.serve() as parlor:
        for card in ("XS", "M", "XS", "M", "S"):
            room.act(parlor, "Ana", "vote", card=card)
        space.act(parlor, "map_set", map="board", key="last", value="words")
        before = room.view(parlor, "Ana")
        parlor.kill()
    with house.serve() as parlor:
        after = room.view(parlor, "Ana")
        assert (after["at"], after["mark"], after["me"]["vote"]) == (before["at"], before["mark"], "S"), (before, after)
        assert space.get(parlor, "maps/board/last")["value"] == "words"
        assert parlor.do("GET", "/v1/session", authorization=f"Bearer {house.token}")["user_name"] == "Dora"
        room.act(parlor, "Bo", "vote", card="M")
        assert poker.votes(house.reader.query(room.pk)) == {"Ana": "S", "Bo": "M"}
        until("who was deleted is gone", lambda: house.reader.get(room.pk, room.gone) is None)
        parlor.stop()
    house.shows("a user who was deleted has no item any more")
    house.shows("after kill -9 and a new start the room stands where it stood, people are logged in, and it goes on")


def a_deleted_space_takes_its_presences_along(house):
    """Document 001, Delete: "Deletes Room, Maps, Presence and Lists"."""
    with house.serve() as parlor:
        space = spaces.Space(parlor)
        room = space.path.removeprefix("/v1/rooms/")
        with Listener(parlor.url) as listener:
            listener.enter(room, space.user_key)
            listener.say(id=3, do="presence_set", room=room, **{"with": {"presence": "cursors", "value": 1}})
            until("it is mirrored", lambda: house.reader.get(space.pk, "PRESENCE#cursors"))
            assert parlor.ask("DELETE", space.path, **{HOST: space.host_key})[0] < 300
        until("nothing is left", lambda: not house.reader.query(space.pk))
    house.shows("Room, Delete: what people showed is gone too")


def a_deletion_that_was_cut_off_goes_on(house):
    """A node that ends while it clears away leaves items that no deadline ends: somebody has to go on."""
    with house.serve() as parlor:
        space = spaces.Space(parlor)
        for first in range(0, 500, 50):
            keys = range(first, first + 50)
            space.act(parlor, "batch", ops=[{"do": "map_set", "with": {"map": "m", "key": str(key), "value": "x" * 500}} for key in keys])
        assert parlor.ask("DELETE", space.path, **{HOST: space.host_key})[0] < 300
        parlor.kill()
    with house.serve() as parlor:
        assert parlor.ask("GET", space.path, **{HOST: space.host_key})[0] == 404
        until("what was left is gone", lambda: not house.reader.query(space.pk) and not house.reader.query(space.pk + "#EVENTS"))
    house.shows("Room, Delete: a deletion that was cut off goes on when somebody looks for the room")


def rooms_move(house):
    """To a folder and on into another table, compared by the command itself and then by boto3."""
    folder, second = f"embedded:{Path(house.folder) / f'moved-{house.peer.name}'}", house.store("parlor.second")
    there = house.command("move", "--from", house.store(), "--to", folder)
    house.command("dynamodb", "create-table", second)
    back = house.command("move", "--from", folder, "--to", second)
    assert all("read again and are the same" in said for said in (there, back)), there + back
    reader = Reader(house.peer.url, "parlor.second")
    for pk in (house.room.pk, house.space.pk):
        was, arrived = ({sk: said(item) for sk, item in each.query(pk).items() if not sk.startswith("MEMBER#")} for each in (house.reader, reader))
        # Large maps may lie in other buckets; they are compared key by key below.
        apart = {sk for sk in [*was, *arrived] if "#large" in sk}
        assert {sk: item for sk, item in was.items() if sk not in apart} == {sk: item for sk, item in arrived.items() if sk not in apart}, pk
    assert poker.votes(house.reader.query(house.room.pk)) == poker.votes(reader.query(house.room.pk)) == {"Ana": "S", "Bo": "M"}
    for sk in ("MAP#board", "MAP#large", "LIST#todo"):
        assert spaces.keys_of(reader, house.space.pk, sk)[0] == spaces.keys_of(house.reader, house.space.pk, sk)[0], sk
    with house.serve(second) as parlor:
        house.room.act(parlor, "Ana", "vote", card="XS")
        assert parlor.do("GET", "/v1/session", authorization=f"Bearer {house.token}")["user_name"] == "Dora"
        parlor.stop()
    assert poker.votes(reader.query(house.room.pk)) == {"Ana": "XS", "Bo": "M"}
    house.shows("rooms and sessions move to a folder and on into a second table, are the same there, and go on")


def keys(described):
    return [(key["AttributeName"], key["KeyType"]) for key in described["KeySchema"]]


def said(item):
    """What an item says, without what is the store's own about this writing of it: where it lies, and when it was written."""
    own = {"position", "mark", "life", "at", "ttl", "endsAt", "kept", "touched", "cuts", "splits", "createdOn", "updatedOn"}
    return {name: value for name, value in item.items() if name not in own}


STEPS = [
    the_table_is_made,
    a_printed_template_makes_the_table,
    a_printed_template_switches_the_ttl_on,
    create_table_does_what_is_missing,
    the_printed_policy_is_the_documented_one,
    rooms_are_played,
    who_listens_is_a_member,
    no_secret_is_in_the_table,
    a_room_goes_on_after_kill_9,
    a_deleted_space_takes_its_presences_along,
    a_deletion_that_was_cut_off_goes_on,
    rooms_move,
]

# Steps that a peer cannot serve, and why. What a peer suddenly can fails the run, until it is taken off.
CANNOT = {
    "ministack": {"a_printed_template_switches_the_ttl_on": "its CloudFormation does not look at a table's TTL"},
    "moto": {"a_printed_template_switches_the_ttl_on": "its CloudFormation does not look at a table's TTL"},
}


def visit(house):
    """Every step, on one peer; answers with how many it showed."""
    shown = 0
    for step in STEPS:
        why, name = CANNOT[house.peer.name].get(step.__name__), step.__name__.replace("_", " ")
        if why is None:
            step(house)
            shown += 1
            continue
        try:
            step(house)
        except (AssertionError, BotoCoreError, ClientError):
            house.shows(f"CANNOT SHOW that {name}: {why}")
        else:
            raise AssertionError(f"{house.peer.name} can show this now, so it is to be taken off the list: {name}")
    return shown


def give_up(*_):
    """Unwinds, so that every child is ended."""
    raise SystemExit(f"ended from outside, or after {SECONDS_MAX} s")


def main(program, home):
    signal.signal(signal.SIGTERM, give_up)
    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(SECONDS_MAX)
    program, shown = str(Path(program).resolve()), 0
    with tempfile.TemporaryDirectory(prefix="parlor-items-") as folder:
        for start, ask in [(lambda: ministack(home, folder), None), (lambda: moto(folder), lambda: moto(folder, threads=True))]:
            # What moto does with many requests at once is asked of its own command; rooms are played one at a time.
            with (ask or start)() as peer:
                promises.ask_all(peer)
            with start() as peer:
                shown += visit(House(peer, program, folder))
    print(f"{shown} steps passed, 0 failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
