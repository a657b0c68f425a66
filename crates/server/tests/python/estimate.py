"""Two people estimate a story over gRPC, with a client that was not written here.

    python estimate.py PARLOR PROTO

starts the program PARLOR, makes stubs of the files in PROTO, and plays: rooms, streams, errors by their code and
details, sessions, once-only, deadlines, reflection, health, and how a stream ends when the server goes.
"""

import importlib
import json
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from pathlib import Path

import grpc
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_status import rpc_status
from grpc_tools import protoc

PATIENCE = 30


def stubs(proto):
    """Makes the modules of the proto files, by the files alone."""
    out = tempfile.mkdtemp(prefix="parlor-stubs-")
    names = ["parlor/v1/poker.proto", "parlor/v1/sessions.proto"]
    made = protoc.main(["protoc", f"-I{proto}", f"--python_out={out}", f"--grpc_python_out={out}", *names])
    assert made == 0, "the proto files do not compile"
    sys.path.insert(0, out)
    words = ["poker_pb2", "poker_pb2_grpc", "sessions_pb2", "sessions_pb2_grpc"]
    return [importlib.import_module(f"parlor.v1.{word}") for word in words]


def serve(parlor):
    """Starts a server on a free port and gives it with its address."""
    command = [parlor, "serve", "--listen", "127.0.0.1:0", "--store", "memory:"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    line = server.stdout.readline()
    assert "listening on http://" in line, line
    return server, line.strip().rpartition("http://")[2]


class Hearing:
    """One stream, read by a thread: what was said, and how it ended."""

    def __init__(self, call):
        self.call = call
        self.said = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            for update in self.call:
                self.said.put(update)
            self.said.put(None)
        except grpc.RpcError as error:
            self.said.put(error)

    def next(self):
        return self.said.get(timeout=PATIENCE)

    def until(self, holds):
        """The first condition for which this holds."""
        while True:
            update = self.next()
            assert hasattr(update, "WhichOneof"), f"the stream ended: {update}"
            if update.WhichOneof("update") == "condition" and holds(update.condition):
                return update.condition

    def last(self):
        """How it ends; what is said before is passed over."""
        while True:
            update = self.next()
            if not hasattr(update, "WhichOneof"):
                return update


def refused(call, message, metadata, status, code, retry=False):
    """The call fails with this status, and its details and trailers name this code."""
    try:
        call(message, metadata=metadata, timeout=PATIENCE)
    except grpc.RpcError as error:
        check(error, status, code, retry)
        return
    raise AssertionError(f"expected {code}")


def check(error, status, code, retry=False):
    assert error.code() == status, error
    assert dict(error.trailing_metadata())["parlor-code"] == code, error
    assert dict(error.trailing_metadata())["parlor-retry"] == ("true" if retry else "false"), error
    info, retries = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    details = rpc_status.from_call(error).details
    assert any(detail.Unpack(info) for detail in details) and info.reason == code, details
    assert any(detail.Unpack(retries) for detail in details) == retry, details


def estimate(channel, poker_pb2, poker):
    made = poker.CreateRoom(poker_pb2.CreateRoomRequest(deck="fibonacci", name="From Python"))
    room = made.room_id
    host = [("parlor-host-key", made.host_key)]
    ana, bo = ([("parlor-user-key", uuid.uuid4().hex)] for _ in range(2))

    joins = {}
    for name, who in [("Ana", ana), ("Bo", bo)]:
        call = poker.JoinRoom(poker_pb2.JoinRoomRequest(room_id=room, user_name=name), metadata=who)
        joins[name] = Hearing(call)
        assert joins[name].next().entered.room_id == room
    everyone = joins["Ana"].until(lambda seen: len(seen.view.users) == 2)
    assert [user.user_name for user in everyone.view.users] == ["Ana", "Bo"]

    story = poker_pb2.NewStory(title="Speak gRPC", link="https://example.org/1")
    poker.AddStories(poker_pb2.AddStoriesRequest(room_id=room, stories=[story]), metadata=host)
    poker.PickStory(poker_pb2.PickStoryRequest(room_id=room, story_id="s1"), metadata=host)

    for who, card in [(ana, "8"), (bo, "5")]:
        poker.CastVote(poker_pb2.CastVoteRequest(room_id=room, card=card), metadata=who)
    hidden = joins["Bo"].until(lambda seen: all(user.has_vote for user in seen.view.users))
    assert not any(user.HasField("vote") for user in hidden.view.users), "a card that lies face down"
    assert hidden.me.vote == "5"

    poker.ShowVotes(poker_pb2.ShowVotesRequest(room_id=room), metadata=ana)
    shown = joins["Bo"].until(lambda seen: seen.view.is_revealed)
    assert [user.vote for user in shown.view.users] == ["8", "5"]
    assert shown.view.result.average == 6.5 and not shown.view.result.unanimous

    poker.ResetVotes(poker_pb2.ResetVotesRequest(room_id=room), metadata=ana)
    for who in (ana, bo):
        poker.CastVote(poker_pb2.CastVoteRequest(room_id=room, card="8"), metadata=who)
    poker.ShowVotes(poker_pb2.ShowVotesRequest(room_id=room), metadata=ana)
    agreed = joins["Ana"].until(lambda seen: seen.view.is_revealed and seen.view.result.unanimous)
    assert agreed.view.stories[0].estimate == "8", agreed.view.stories

    taken = poker.ExportRoom(
        poker_pb2.ExportRoomRequest(room_id=room, format=poker_pb2.EXPORT_FORMAT_JSON), metadata=ana
    )
    assert len(json.loads(taken.content)["rounds"]) == 2

    once = [*host, ("idempotency-key", uuid.uuid4().hex)]
    first = poker.ResetVotes(poker_pb2.ResetVotesRequest(room_id=room), metadata=once)
    again = poker.ResetVotes(poker_pb2.ResetVotesRequest(room_id=room), metadata=once)
    assert not first.again and again.again and first.at == again.at

    errors(poker_pb2, poker, room, ana, bo)

    bo_id = shown.view.users[1].user_id
    poker.KickUser(poker_pb2.KickUserRequest(room_id=room, user_id=bo_id), metadata=ana)
    while (update := joins["Bo"].next()).WhichOneof("update") != "ended":
        pass
    assert update.ended.reason == "kicked" and joins["Bo"].next() is None

    left = Hearing(poker.Subscribe(poker_pb2.SubscribeRequest(room_id=room), metadata=bo))
    left.until(lambda seen: not seen.me.seated)
    left.call.cancel()
    assert left.last().code() == grpc.StatusCode.CANCELLED
    late = Hearing(poker.Subscribe(poker_pb2.SubscribeRequest(room_id=room), metadata=bo, timeout=0.5))
    assert late.last().code() == grpc.StatusCode.DEADLINE_EXCEEDED
    return joins["Ana"]


def errors(poker_pb2, poker, room, ana, bo):
    wrong = [*ana, ("parlor-host-key", "hk_the_host_key_of_another_room")]
    look = poker_pb2.CheckRoomRequest(room_id=room)
    refused(poker.CheckRoom, look, wrong, grpc.StatusCode.PERMISSION_DENIED, "bad_key")
    nowhere = poker_pb2.CheckRoomRequest(room_id="no-such-room")
    refused(poker.CheckRoom, nowhere, ana, grpc.StatusCode.NOT_FOUND, "room_not_found")
    card = poker_pb2.CastVoteRequest(room_id=room, card="no such card")
    refused(poker.CastVote, card, ana, grpc.StatusCode.INVALID_ARGUMENT, "bad_request")
    card.card = "4"
    refused(poker.CastVote, card, ana, grpc.StatusCode.INVALID_ARGUMENT, "not_in_deck")
    show = poker_pb2.ShowVotesRequest(room_id=room)
    refused(poker.ShowVotes, show, bo, grpc.StatusCode.PERMISSION_DENIED, "forbidden")
    # A stream that is refused says so when it is read.
    missing = Hearing(poker.Subscribe(poker_pb2.SubscribeRequest(room_id="no-such-room"), metadata=bo))
    check(missing.last(), grpc.StatusCode.NOT_FOUND, "room_not_found")


def log_in_and_out(sessions_pb2, sessions, poker_pb2, poker):
    made = sessions.Login(sessions_pb2.LoginRequest(user_name="Zoë"))
    zoe = [("authorization", f"Bearer {made.token}")]
    twin = sessions_pb2.LoginRequest(user_name="ZOË")
    refused(sessions.Login, twin, [], grpc.StatusCode.ALREADY_EXISTS, "name_taken")
    assert sessions.VerifyUser(sessions_pb2.VerifyUserRequest(), metadata=zoe).user_name == "Zoë"
    room = poker.CreateRoom(poker_pb2.CreateRoomRequest(), metadata=zoe).room_id
    hearing = Hearing(poker.JoinRoom(poker_pb2.JoinRoomRequest(room_id=room), metadata=zoe))
    assert hearing.until(lambda seen: seen.me.seated).me.user_id == made.user_id
    sessions.Logout(sessions_pb2.LogoutRequest(), metadata=zoe)
    check(hearing.last(), grpc.StatusCode.UNAUTHENTICATED, "unauthenticated")
    verify = sessions_pb2.VerifyUserRequest()
    refused(sessions.VerifyUser, verify, zoe, grpc.StatusCode.UNAUTHENTICATED, "unauthenticated")


def main():
    parlor, proto = sys.argv[1:]
    poker_pb2, poker_grpc, sessions_pb2, sessions_grpc = stubs(Path(proto))
    server, address = serve(parlor)
    try:
        channel = grpc.insecure_channel(address)
        poker, sessions = poker_grpc.PokerStub(channel), sessions_grpc.SessionsStub(channel)

        health = health_pb2_grpc.HealthStub(channel)
        answer = health.Check(health_pb2.HealthCheckRequest(service="parlor.v1.Poker"), timeout=PATIENCE)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
        services = ProtoReflectionDescriptorDatabase(channel).get_services()
        assert {"parlor.v1.Poker", "parlor.v1.Sessions", "grpc.health.v1.Health"} <= set(services), services

        log_in_and_out(sessions_pb2, sessions, poker_pb2, poker)
        ana = estimate(channel, poker_pb2, poker)

        server.send_signal(signal.SIGTERM)
        check(ana.last(), grpc.StatusCode.UNAVAILABLE, "unavailable", retry=True)
        assert server.wait(PATIENCE) == 0
    finally:
        server.kill()
    print(f"two people estimated a story with grpcio {grpc.__version__}; everything was as the files say")


if __name__ == "__main__":
    main()
