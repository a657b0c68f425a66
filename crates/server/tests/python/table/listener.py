"""Somebody who listens to a room: just enough of a WebSocket to say hello and enter."""

import base64
import json
import os
import socket
import struct


class Listener:
    def __init__(self, url):
        host, port = url.removeprefix("http://").split(":")
        self.stream = socket.create_connection((host, int(port)), timeout=30)
        key = base64.b64encode(os.urandom(16)).decode()
        words = ["GET /v1/ws HTTP/1.1", f"Host: {host}:{port}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        self.stream.sendall(("\r\n".join(words) + "\r\n\r\n").encode())
        self.bytes = self.stream.makefile("rb")
        assert b" 101 " in self.bytes.readline()
        while self.bytes.readline().strip():
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The file has the socket too, and closing one of them alone hangs up on nobody.
        self.bytes.close()
        self.stream.close()

    def say(self, **words):
        data, mask = json.dumps(words).encode(), os.urandom(4)
        length = struct.pack("!B", 0x80 | len(data)) if len(data) < 126 else struct.pack("!BH", 0x80 | 126, len(data))
        self.stream.sendall(b"\x81" + length + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(data)))

    def hears(self, holds):
        """The first message for which this holds."""
        while True:
            kind, length = self.bytes.read(2)
            if length == 126:
                length = struct.unpack("!H", self.bytes.read(2))[0]
            elif length == 127:
                length = struct.unpack("!Q", self.bytes.read(8))[0]
            data = self.bytes.read(length)
            if kind & 15 == 1 and holds(message := json.loads(data)):
                return message
            assert kind & 15 != 8, f"the server hung up: {data!r}"

    def enter(self, room, user_key):
        self.say(id=1, do="hello", **{"with": {"user_key": user_key}})
        self.say(id=2, do="enter", room=room)
        return self.hears(lambda message: message.get("push") in ("view", "snapshot"))
