"""Programs that are started here, and ended here whatever happens: servers that speak DynamoDB, and Parlor.

All of them hear this machine alone.
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

PATIENCE = 60

# No service looks at these; Parlor and boto3 want some. Whatever the user has set must not be used by mistake.
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "parlor", "AWS_SECRET_ACCESS_KEY": "a-secret-of-nobody", "AWS_DEFAULT_REGION": "us-east-1",
               "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}

# moto's own command gives every request a thread, and then loses updates. This is the same without threads.
ONE_AT_A_TIME = """
import sys
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple
run_simple("127.0.0.1", int(sys.argv[1]), DomainDispatcherApplication(create_backend_app), threaded=False)
"""


def until(what, holds):
    """The first answer that is something, or a failure that says what was waited for."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        seen = holds()
        if seen:
            return seen
        time.sleep(0.05)
    raise AssertionError(f"waited in vain until {what}")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Child:
    """A process with a log of its own, killed when the block ends."""

    def __init__(self, name, command, folder, **environment):
        self.log = Path(folder) / f"{name}-{time.monotonic_ns()}.log"
        self.out = self.log.open("w")
        clean = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        self.process = subprocess.Popen(
            [str(word) for word in command], env={**clean, **CREDENTIALS, **environment}, cwd=folder,
            stdin=subprocess.DEVNULL, stdout=self.out, stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def kill(self):
        """At once, as `kill -9` does."""
        self.process.kill()
        self.process.wait(PATIENCE)
        self.out.close()

    def said(self):
        return self.log.read_text(errors="replace")

    def wait(self, what, holds):
        """Until it is there; what never comes to be of use is ended too."""
        try:
            return until(what, lambda: self.runs() and holds())
        except BaseException:
            self.kill()
            raise

    def runs(self):
        assert self.process.poll() is None, f"it ended by itself; its log ends:\n{self.said()[-3000:]}"
        return True


class Peer(Child):
    """A server that is not Amazon's and speaks DynamoDB."""

    def __init__(self, name, command, folder, health, **environment):
        super().__init__(name, command, folder, **environment)
        self.name, self.health = name, health

    def __enter__(self):
        self.wait(f"{self.name} answers", self.answers)
        return self

    def answers(self):
        try:
            with urllib.request.urlopen(self.url + self.health, timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False


def ministack(home, folder):
    """`home` is where xtask has put it."""
    own, port = Path(home) / "bin/python", free_port()
    python = own if own.exists() else "python3"
    peer = Peer("ministack", [python, "-m", "ministack"], folder, "/_ministack/health", PYTHONPATH=str(Path(home) / "packages"),
                GATEWAY_PORT=str(port), BIND_HOST="127.0.0.1", SERVICES="dynamodb,cloudformation", IOT_MTLS_ENABLED="0", LOG_LEVEL="WARNING",
                PERSIST_STATE="0", TMPDIR=str(folder))
    peer.url = f"http://127.0.0.1:{port}"
    return peer


def moto(folder, threads=False):
    port = free_port()
    command = ["-m", "moto.server", "-H", "127.0.0.1", "-p", port] if threads else ["-c", ONE_AT_A_TIME, port]
    peer = Peer("moto", [sys.executable, *command], folder, "/moto-api/")
    peer.url = f"http://127.0.0.1:{port}"
    return peer


class Parlor(Child):
    """A server, spoken to over its REST door."""

    def __init__(self, program, store, folder, *more, port=0):
        super().__init__("parlor", [program, "serve", "--store", store, "--listen", f"127.0.0.1:{port}", *more], folder)
        self.url = self.wait("Parlor listens", self.address)

    def address(self):
        lines = [line for line in self.said().splitlines() if "Parlor is listening on http://" in line]
        return "http://" + lines[0].rpartition("http://")[2].split()[0] if lines else None

    def stop(self):
        """As an operator does."""
        self.process.terminate()
        self.process.wait(PATIENCE)

    def ask(self, method, path, body=None, **headers):
        """The status, and what was said."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method)
        request.add_header("content-type", "application/json")
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def do(self, method, path, body=None, **headers):
        """What was said, which must not be a refusal."""
        status, said = self.ask(method, path, body, **headers)
        assert status < 300, f"{method} {path}: {status} {said}\nits log ends:\n{self.said()[-2000:]}"
        return json.loads(said) if said else {}


def run(program, *words, folder):
    """A command of Parlor's that ends by itself: its exit code, and all that it said."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    done = subprocess.run([program, *words], env={**clean, **CREDENTIALS}, cwd=folder, timeout=PATIENCE * 2,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr
