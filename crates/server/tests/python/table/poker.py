"""Document 003's rows, in a poker room that is being played."""

import hashlib
import time

from table.children import until
from table.reader import number, shape

CARDS = "1 2 3 5 8 13 20 ? ∞"
HOST, USER = "parlor_host_key", "parlor_user_key"


def hashed(key):
    return "sha256:" + hashlib.sha256(key.encode()).hexdigest()


def now():
    return int(time.time() * 1000)


class Room:
    """A poker room, and those who are at its table."""

    def __init__(self, parlor, **settings):
        made = parlor.do("POST", "/v1/rooms", {"kind": "poker", **settings})
        self.path, self.pk, self.host_key, self.keys = f"/v1/rooms/{made['room']}", f"ROOM:{made['room_id']}", made["host_key"], {}

    def secrets(self):
        return [self.host_key, *self.keys.values()]

    def act(self, parlor, who, command, **body):
        return parlor.do("POST", f"{self.path}/{command}", body, **{USER: self.keys[who]})

    def host(self, parlor, command, **body):
        return parlor.do("POST", f"{self.path}/{command}", body, **{HOST: self.host_key})

    def join(self, parlor, who):
        self.keys[who] = self.keys.get(who) or parlor.do("POST", "/v1/users")["user_key"]
        self.act(parlor, who, "join", user_name=who)

    def view(self, parlor, who):
        return parlor.do("GET", self.path, **{USER: self.keys[who]})

    def sk(self, parlor, who):
        return "USER:" + self.view(parlor, who)["me"]["user_id"]


def votes(items):
    """Who has voted, as a reader of the documents makes it out: a vote counts with the room's round alone."""
    seats = [item for sk, item in items.items() if sk.startswith("USER:") and "username" in item]
    return {item["username"]["S"]: item["vote"]["S"] for item in seats if "vote" in item and item["round"] == items["ROOM"]["round"]}


def play(parlor, reader):
    """Makes and plays a room, and looks after every act; a line for each row and operation of the document."""
    begun = now()
    room = Room(parlor, life_minutes=1440)
    items = reader.query(room.pk)
    assert list(items) == ["ROOM"], list(items)
    head = items["ROOM"]
    shape(head, pk="S", sk="S", hostKey="S", validSizes="S", isRevealed="BOOL", createdOn="N", updatedOn="N", round="N", ttl="N")
    assert head["validSizes"]["S"] == CARDS and head["isRevealed"]["BOOL"] is False
    assert head["hostKey"]["S"] == hashed(room.host_key), "the host key is there as its hash"
    assert begun <= number(head, "createdOn") <= now() and number(head, "updatedOn") >= number(head, "createdOn")
    # Its deadline is a day from now; the service may delete it after that and not before.
    assert number(head, "endsAt") > begun + 1439 * 60_000 and number(head, "ttl") * 1000 > number(head, "endsAt")
    yield "Create room: ROOM:[roomId] / ROOM with hostKey, validSizes, isRevealed, createdOn, updatedOn, of native types"

    room.join(parlor, "Ana")
    room.join(parlor, "Bo")
    items = reader.query(room.pk)
    ana, bo = room.sk(parlor, "Ana"), room.sk(parlor, "Bo")
    assert set(items) == {"ROOM", ana, bo}, list(items)
    for sk, name in [(ana, "Ana"), (bo, "Bo")]:
        shape(items[sk], userId="S", username="S", createdOn="N", updatedOn="N", userKey="S", ttl="N")
        assert items[sk]["username"]["S"] == name and "USER:" + items[sk]["userId"]["S"] == sk and "vote" not in items[sk]
        assert items[sk]["userKey"]["S"] == hashed(room.keys[name]), "the user key is there as its hash"
    yield "Join room: ROOM:[roomId] / USER:[userId] with userId, username, createdOn, updatedOn"

    before = now()
    room.act(parlor, "Ana", "vote", card="5")
    room.act(parlor, "Bo", "vote", card="∞")
    items = reader.query(room.pk)
    assert votes(items) == {"Ana": "5", "Bo": "∞"} and not items["ROOM"]["isRevealed"]["BOOL"]
    shape(items[ana], vote="S", round="N")
    assert number(items[ana], "updatedOn") >= before > number(items[ana], "createdOn")
    yield "Vote: the vote, one of validSizes, in the user's item; updatedOn moves and createdOn does not"

    room.host(parlor, "show")
    items = reader.query(room.pk)
    assert items["ROOM"]["isRevealed"] == {"BOOL": True} and votes(items) == {"Ana": "5", "Bo": "∞"}
    yield "Set cards revealed: isRevealed is true"

    seats = {sk: reader.get(room.pk, sk) for sk in (ana, bo)}
    room.host(parlor, "reset")
    items = reader.query(room.pk)
    assert items["ROOM"]["isRevealed"] == {"BOOL": False} and votes(items) == {}, "no vote counts"
    assert {sk: items[sk] for sk in seats} == seats, "the room's item alone was written"
    assert not any(user["has_vote"] for user in room.view(parlor, "Ana")["view"]["users"])
    yield "Reset: isRevealed is false and no vote counts; no user's item was written"

    room.act(parlor, "Ana", "vote", card="3")
    items = reader.query(room.pk)
    assert votes(items) == {"Ana": "3"} and "vote" in items[bo], "Bo's is of the round before"
    yield "a vote counts for its round alone, also beside one of this round"

    room.act(parlor, "Ana", "take_back")
    assert votes(reader.query(room.pk)) == {}
    room.host(parlor, "set_valid_sizes", valid_sizes="XS S M")
    items = reader.query(room.pk)
    assert items["ROOM"]["validSizes"] == {"S": "XS S M"} and votes(items) == {}
    room.act(parlor, "Bo", "vote", card="M")
    assert votes(reader.query(room.pk)) == {"Bo": "M"}
    yield "Set valid sizes: validSizes is the new ones"

    room.act(parlor, "Bo", "leave")
    assert "username" not in reader.get(room.pk, bo) and votes(reader.query(room.pk)) == {}
    room.join(parlor, "Bo")
    room.act(parlor, "Bo", "vote", card="S")
    room.host(parlor, "kick", user_id=bo.removeprefix("USER:"))
    kicked = reader.get(room.pk, bo)
    assert "username" not in kicked and "vote" not in kicked, kicked
    yield "Leave room, Kick user: username and vote are cleared"

    room.join(parlor, "Bo")
    room.join(parlor, "Cy")
    cy = room.sk(parlor, "Cy")
    room.host(parlor, "delete_user", user_id=cy.removeprefix("USER:"))
    left = reader.get(room.pk, cy) or {}
    assert not left.keys() & {"username", "vote", "userKey"} and not [name for name in left if name.startswith("client:")], left
    room.gone = cy
    yield "Delete user: nothing is left of them but an id and two times; the item goes when the room is next loaded"

    assert reader.get(room.pk, "ROOM")["sk"] == {"S": "ROOM"} and set(reader.query(room.pk, "USER:")) - {cy} == {ana, bo}
    yield "reading the room is one GetItem, its people one Query, all of it one Query"
    return room


def delete(parlor, reader):
    """Makes a room, plays it and deletes it: it is dead at once, and gone soon."""
    room = Room(parlor)
    for who in ("Ana", "Bo"):
        room.join(parlor, who)
        room.act(parlor, who, "vote", card="5")
    assert parlor.ask("DELETE", room.path, **{HOST: room.host_key})[0] < 300
    head = reader.get(room.pk, "ROOM")
    assert head is None or ("position" not in head and "closed" in head), "whoever reads the room's item sees that it is closed"
    assert parlor.ask("GET", room.path, **{USER: room.keys["Ana"]})[0] == 404
    until("all that the room left is gone", lambda: not reader.query(room.pk) and not reader.query(room.pk + "#EVENTS"))
    yield "Delete room: dead at once, and soon no row with the ROOM:[roomId] key is left"
    return room
