"""Document 001's records, in a space that is being used."""

import time

from table.children import until
from table.listener import Listener
from table.poker import HOST, USER, hashed, now
from table.reader import number, shape

NOTE = {"x": 1, "y": -2.5, "done": True, "tags": ["é", None, {"deep": []}], "big": 12345678901234567}
NATIVE = {"M": {"x": {"N": "1"}, "y": {"N": "-2.5"}, "done": {"BOOL": True}, "big": {"N": "12345678901234567"},
                "tags": {"L": [{"S": "é"}, {"NULL": True}, {"M": {"deep": {"L": []}}}]}}}


class Space:
    def __init__(self, parlor):
        made = parlor.do("POST", "/v1/rooms", {"kind": "space", "guests": "write", "name": "Board"})
        self.path, self.pk, self.host_key = f"/v1/rooms/{made['room']}", made["room_id"], made["host_key"]
        self.user_key = parlor.do("POST", "/v1/users")["user_key"]

    def secrets(self):
        return [self.host_key, self.user_key]

    def act(self, parlor, command, **body):
        return parlor.do("POST", f"{self.path}/{command}", body, **{USER: self.user_key})

    def get(self, parlor, path):
        return parlor.do("GET", f"{self.path}/{path}", **{USER: self.user_key})


def in_order(item):
    """The ids of a list's items, as a reader of the documents makes them out."""
    entries = item["entries"]["M"]
    return sorted(item["data"]["M"], key=lambda name: entries[name]["M"]["order"]["S"].encode())


def keys_of(reader, pk, sk):
    """All keys of a part of any size: one Query for its items, of which those of the cut that the room's item names count."""
    split = reader.get(pk, "ROOM").get("splits", {"M": {}})["M"].get(sk)
    items = reader.query(pk, sk)
    if split is not None:
        begins = f"{sk}#{split['M']['cut']['N']}."
        items = {name: item for name, item in items.items() if name == sk or name.startswith(begins)}
    return {key: value for item in items.values() for key, value in item["data"]["M"].items()}, len(items)


def play(parlor, reader):
    begun = now()
    space = Space(parlor)
    head = reader.get(space.pk, "ROOM")
    shape(head, pk="S", sk="S", hostKey="S", name="S", createdOn="N", updatedOn="N")
    assert head["pk"] == {"S": space.pk} and len(space.pk) == 36 and head["hostKey"]["S"] == hashed(space.host_key)
    assert begun <= number(head, "createdOn") <= now() and "ttl" not in head, "it lives for ever"
    yield "Room, Create and Get: <roomId> / ROOM, the room's id a uuid, by one GetItem"

    space.act(parlor, "map_create", map="board")
    assert reader.get(space.pk, "MAP#board")["data"] == {"M": {}}
    yield "Map, Create: <roomId> / MAP#<mapName> with an empty map `data`"

    space.act(parlor, "map_set", map="board", key="note.1 #a", value=NOTE)
    space.act(parlor, "map_set", map="board", key="note-2", value="plain")
    item = reader.get(space.pk, "MAP#board")
    assert item["data"] == {"M": {"note.1 #a": NATIVE, "note-2": {"S": "plain"}}}, item["data"]
    yield "Map, Upsert: data.<keyName> holds the value as native attributes; keys are of any kind"

    space.act(parlor, "map_set", map="board", key="note.1 #a", value={"x": 2})
    assert reader.get(space.pk, "MAP#board")["data"]["M"]["note.1 #a"] == {"M": {"x": {"N": "2"}}}
    yield "Map, Upsert: a value replaces the one before, nothing is merged"

    space.act(parlor, "map_remove", map="board", key="note.1 #a")
    assert reader.get(space.pk, "MAP#board")["data"] == {"M": {"note-2": {"S": "plain"}}}
    yield "Map, RemoveItem: the key is gone and the others stay"

    for value in ("milk", {"text": "bread"}, 3):
        space.act(parlor, "list_insert", list="todo", value=value)
    ids = [item[0] for item in space.get(parlor, "lists/todo")["items"]]
    item = reader.get(space.pk, "LIST#todo")
    values = [item["data"]["M"][name] for name in in_order(item)]
    assert in_order(item) == ids and values == [{"S": "milk"}, {"M": {"text": {"S": "bread"}}}, {"N": "3"}], values
    space.act(parlor, "list_move", list="todo", id=ids[2], at=0)
    assert in_order(reader.get(space.pk, "LIST#todo")) == [ids[2], ids[0], ids[1]]
    space.act(parlor, "list_remove", list="todo", id=ids[0])
    assert in_order(reader.get(space.pk, "LIST#todo")) == [ids[2], ids[1]]
    yield "List: <roomId> / LIST#<listName> with a map `data` by the items' ids; `entries` has their order"

    space.act(parlor, "map_set", map="gone", key="k", value=1)
    space.act(parlor, "map_delete", map="gone")
    assert reader.get(space.pk, "MAP#gone") is None
    yield "Map, Delete: the item is gone"

    large = {f"key-{n:04}": "x" * 100 for n in range(300)}
    for first in range(0, 300, 50):
        some = list(large.items())[first:first + 50]
        space.act(parlor, "batch", ops=[{"do": "map_set", "with": {"map": "large", "key": key, "value": value}} for key, value in some])
    found, items = keys_of(reader, space.pk, "MAP#large")
    assert found == {key: {"S": value} for key, value in large.items()} and items > 1, (len(found), items)
    yield f"a map of {len(large)} keys is in {items} items, and one Query finds all of them"

    assert {"ROOM", "PARTS", "MAP#board", "MAP#large", "LIST#todo"} <= set(reader.query(space.pk))
    yield "all of a space is in one partition: one Query"
    return space


def presence(parlor, reader, space):
    """What people show each other is a thing of the moment: the item mirrors it once a second, and goes with them."""
    room, sk = space.path.removeprefix("/v1/rooms/"), "PRESENCE#cursors"
    with Listener(parlor.url) as listener:
        me, written, shown = listener.enter(room, space.user_key)["me"]["user_id"], [], 0
        while len(written) < 3:
            shown += 1
            listener.say(id=shown + 2, do="presence_set", room=room, **{"with": {"presence": "cursors", "value": {"x": shown, "y": -2.5}}})
            listener.hears(lambda message: message.get("id") == shown + 2)
            item = reader.get(space.pk, sk)
            if item and number(item, "updatedOn") not in written:
                written.append(number(item, "updatedOn"))
            assert shown < 10_000, "it is mirrored at last"
            time.sleep(0.05)
        until("the last one is mirrored", lambda: reader.get(space.pk, sk)["data"] == {"M": {me: {"M": {"x": {"N": str(shown)}, "y": {"N": "-2.5"}}}}})
        shape(reader.get(space.pk, sk), data="M", ttl="N", updatedOn="N")
        assert all(later - earlier >= 900 for earlier, later in zip(written, written[1:])), f"{written} after {shown} values"
    until("it goes with them", lambda: reader.get(space.pk, sk) is None)
    yield "Presence, Upsert: <roomId> / PRESENCE#<presenceName> with a map `data` by user ids, written at most once a second"
    yield "Presence, RemoveItem: the entry goes on disconnect"


def delete(parlor, reader):
    space = Space(parlor)
    space.act(parlor, "map_set", map="board", key="k", value=1)
    space.act(parlor, "list_insert", list="todo", value=1)
    assert parlor.ask("DELETE", space.path, **{HOST: space.host_key})[0] < 300
    until("all that the space left is gone", lambda: not reader.query(space.pk) and not reader.query(space.pk + "#EVENTS"))
    yield "Room, Delete: the room, its maps and lists are gone"
    return space


def session(parlor, reader):
    """Who is logged in: document 000's three keys, as they rest here."""
    made = parlor.do("POST", "/v1/login", {"user_name": "Dora"})
    token = hashed(made["token"]).removeprefix("sha256:")
    keys = [f"KEY:token:{token}", f"KEY:user_id:{made['user_id']}", "KEY:user_name:dora"]
    items = [reader.get(pk, "KEY") for pk in keys]
    assert items[0]["data"] == {"S": made["user_id"]}, items[0]
    for item in items:
        shape(item, endsAt="N", ttl="N", version="S", data="S")
        assert number(item, "endsAt") == number(items[0], "endsAt") > now()
    yield "a session: token:, user_id: and user_name: are three items with one deadline"
    return made["token"]
