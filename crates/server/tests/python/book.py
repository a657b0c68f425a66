"""The four tests of the book behind document 004, against a real server on a real Redis.

Everything is done through Parlor's REST door and its edge; what became of it is looked at with Redis's own Python client,
which knows nothing of Parlor. Usage: book.py PARLOR
"""

import hashlib
import http.server
import json
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import redis

SHOP_KEY, ADMIN_KEY = "the-shops-own-key-0123456789", "the-operators-key-0123456789"
PATIENCE = 60


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def until(what, holds):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        seen = holds()
        if seen:
            return seen
        time.sleep(0.02)
    raise AssertionError(f"waited in vain until {what}")


class Shop:
    """An origin that counts how often it renders."""

    def __init__(self):
        shop = self
        self.rendered = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                shop.rendered += 1
                body = f"content for {self.path}, rendered {shop.rendered}".encode()
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


class Parlor:
    def __init__(self, program, store, more):
        self.listen, self.edge = free_port(), free_port()
        keys = ["--shop-key", SHOP_KEY, "--admin-key", ADMIN_KEY]
        self.process = subprocess.Popen(
            [program, "serve", "--listen", f"127.0.0.1:{self.listen}", "--store", store, *keys, *(word.replace("EDGE", f"127.0.0.1:{self.edge}") for word in more)],
            stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "Parlor is listening" in line:
                break
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def ask(self, method, path, body=None, at=None, **headers):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{at or self.listen}{path}", data, method=method)
        request.add_header("content-type", "application/json")
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.headers, answer.read().decode()

    def said(self, *words, **headers):
        return json.loads(self.ask(*words, **headers)[1])

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)


def hashed(token):
    return hashlib.sha256(token.encode()).hexdigest()


def login_cookies(program, store, conn):
    parlor = Parlor(program, store, [])
    guest = parlor.said("POST", "/v1/shop/visits", {})["token"]
    token = parlor.said("POST", "/v1/shop/visit/login", {"user": "username"}, parlor_visit=guest, parlor_shop_key=SHOP_KEY)["token"]
    parlor.said("POST", "/v1/shop/visit/touch", {"item": "itemX"}, parlor_visit=token)
    assert parlor.said("GET", "/v1/shop/visit", parlor_visit=token)["visit"]["user"] == "username"
    assert conn.hget("login:", hashed(token)) == "username"
    assert conn.lrange(f"viewed:{hashed(token)}", 0, -1) == ["itemX"]
    assert abs(conn.zscore("recent:", hashed(token)) - time.time()) < 60
    until("the view counts", lambda: conn.zscore("viewed:", "itemX") == -1.0)
    parlor.stop()
    # A server that keeps nobody: all sessions are cleaned up.
    parlor = Parlor(program, store, ["--visits-max", "0"])
    until("they are cleaned up", lambda: conn.hlen("login:") == 0 and conn.zcard("recent:") == 0)
    assert not conn.exists(f"viewed:{hashed(token)}")
    parlor.stop()


def shopping_cart_cookies(program, store, conn):
    parlor = Parlor(program, store, [])
    token = parlor.said("POST", "/v1/shop/visits", {})["token"]
    cart = parlor.said("POST", "/v1/shop/cart/set", {"item": "itemY", "quantity": 3}, parlor_visit=token)
    assert cart["lines"] == [{"item": "itemY", "quantity": 3}], cart
    assert conn.hgetall(f"cart:{hashed(token)}") == {"itemY": "3"}
    parlor.said("POST", "/v1/shop/cart/set", {"item": "itemY", "quantity": 0}, parlor_visit=token)
    assert conn.hgetall(f"cart:{hashed(token)}") == {}, "removing works"
    parlor.said("POST", "/v1/shop/cart/set", {"item": "itemY", "quantity": 3}, parlor_visit=token)
    parlor.stop()
    parlor = Parlor(program, store, ["--visits-max", "0"])
    until("it is cleaned up", lambda: conn.zcard("recent:") == 0)
    assert conn.hgetall(f"cart:{hashed(token)}") == {}, "a guest's cart goes with the visit"
    parlor.stop()


def cache_request(program, store, conn):
    shop = Shop()
    parlor = Parlor(program, store, ["--edge", "EDGE", "--origin", shop.url, "--item-path", "/item/{item}"])
    token = parlor.said("POST", "/v1/shop/visits", {})["token"]
    parlor.said("POST", "/v1/shop/visit/touch", {"item": "itemX"}, parlor_visit=token)
    first = until("the page is kept", lambda: (lambda got: got if "hit" in got[0]["cache-status"] else None)(parlor.ask("GET", "/item/itemX", at=parlor.edge)))
    rendered = shop.rendered
    assert parlor.ask("GET", "/item/itemX", at=parlor.edge)[1] == first[1]
    assert shop.rendered == rendered
    why = parlor.said("GET", f"/v1/shop/why?url=http://127.0.0.1:{parlor.edge}/item/itemX", parlor_admin_key=ADMIN_KEY)
    assert why["rule"] == "popular" and why["fresh_for_s"] == 300, why
    assert until("it rests", lambda: conn.get(f"cache:{why['hash']}")) == first[1]
    # What nobody looked at, and what is no item's page, is rendered each time.
    for path in ["/item/nobodys", "/item/", "/dynamic?_=1234"]:
        assert parlor.ask("GET", path, at=parlor.edge)[1] != parlor.ask("GET", path, at=parlor.edge)[1], path
    parlor.stop()


def cache_rows(program, store, conn, folder):
    database = os.path.join(folder, "shop.db")
    with sqlite3.connect(database) as shop:
        shop.execute("create table inventory (id text primary key, qty integer, name text)")
        shop.execute("insert into inventory values ('itemX', 629, 'GTab 7inch')")
    parlor = Parlor(program, store, ["--rows-source", f"sqlite:{database}"])
    parlor.said("PUT", "/v1/shop/rows/itemX", {"delay": 1}, parlor_admin_key=ADMIN_KEY)
    row = lambda: json.loads(conn.get("inv:itemX") or "{}")
    until("the row is kept", lambda: row() == {"id": "itemX", "qty": 629, "name": "GTab 7inch"})
    assert conn.zscore("delay:", "itemX") == 1.0 and conn.zscore("schedule:", "itemX") > time.time() - 60
    with sqlite3.connect(database) as shop:
        shop.execute("update inventory set qty = 5")
    until("it is read again", lambda: row().get("qty") == 5)
    parlor.said("PUT", "/v1/shop/rows/itemX", {"delay": -1}, parlor_admin_key=ADMIN_KEY)
    assert conn.get("inv:itemX") is None and conn.zscore("schedule:", "itemX") is None and conn.zscore("delay:", "itemX") is None
    parlor.stop()


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        server = subprocess.Popen(["redis-server", "--port", str(port), "--save", "", "--dir", folder], stdout=subprocess.DEVNULL)
        try:
            conn = redis.Redis(port=port, decode_responses=True)

            def answers():
                try:
                    return conn.ping()
                except redis.exceptions.ConnectionError:
                    return False

            until("Redis answers", answers)
            store = f"redis://127.0.0.1:{port}"
            for test in [login_cookies, shopping_cart_cookies, cache_request]:
                conn.flushall()
                test(program, store, conn)
                print(f"{test.__name__}: as the book has it")
            conn.flushall()
            cache_rows(program, store, conn, folder)
            print("cache_rows: as the book has it")
        finally:
            server.kill()
    print("4 passed, 0 failed")


if __name__ == "__main__":
    main(sys.argv[1])
