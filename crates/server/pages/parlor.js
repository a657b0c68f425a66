// A small table to try the server with, straight on its WebSocket. The room is in the address after #, so a
// link invites; keys stay in this browser's storage and never appear in an address.
"use strict";

const $ = (id) => document.getElementById(id);
const room = () => (location.hash.startsWith("#poker/") ? location.hash.slice(1) : null);
const client = sessionStorage.client ??= "page-" + crypto.randomUUID();

let socket = null;
let asked = 0;
let waiting = new Map();
let view = null;
let me = null;
let delay = 250;

// Every request gets an id; the answer with that id settles it. A lost connection settles all of them.
function ask(verb, words, extra = {}) {
  return new Promise((resolve, reject) => {
    const id = ++asked;
    waiting.set(id, { resolve, reject });
    socket.send(JSON.stringify({ id, do: verb, with: words, ...extra }));
  });
}

// A command is numbered, so that sending it again after a cut does it once.
async function act(verb, words = {}) {
  const n = Number(sessionStorage.n ?? 0) + 1;
  sessionStorage.n = n;
  try {
    await ask(verb, words, { room: room(), n });
  } catch (error) {
    say(error.message);
  }
}

function say(text) {
  $("status").textContent = text;
}

async function connect() {
  say("Connecting…");
  socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/v1/ws");
  socket.onmessage = (event) => hear(JSON.parse(event.data));
  socket.onclose = () => {
    for (const { reject } of waiting.values()) reject(new Error("The connection was lost; trying again."));
    waiting = new Map();
    say("The connection was lost; trying again…");
    setTimeout(connect, delay * (0.5 + Math.random()));
    delay = Math.min(delay * 2, 10000);
  };
  socket.onopen = async () => {
    try {
      const key = localStorage.userKey;
      const hello = await ask("hello", key ? { user_key: key, client } : { client });
      if (hello.user_key) localStorage.userKey = hello.user_key;
      delay = 250;
      say("Connected.");
      if (room()) await enter();
    } catch (error) {
      say(error.message);
    }
  };
}

function hear(message) {
  if (message.id && waiting.has(message.id)) {
    const { resolve, reject } = waiting.get(message.id);
    waiting.delete(message.id);
    message.error ? reject(new Error(message.error.message)) : resolve(message.ok);
  } else if (message.push === "view" && message.room === room()) {
    ({ view, me } = message);
    draw();
  } else if (message.push === "come_back" && message.room === room()) {
    enter();
  } else if (message.push === "ended" && message.room === room()) {
    say(message.reason === "kicked" ? "You were sent away from this table." : "This table is over.");
    view = null;
    location.hash = "";
    draw();
  }
}

async function enter() {
  const hostKey = localStorage["hostKey " + room()];
  try {
    await ask("enter", hostKey ? { host_key: hostKey } : {}, { room: room() });
    if ($("name").value) await act("join", { user_name: $("name").value });
  } catch (error) {
    say(error.message);
  }
}

function draw() {
  $("welcome").hidden = Boolean(view && me.seated);
  $("table").hidden = !view;
  $("go").textContent = room() ? "Join this table" : "Start a planning poker table";
  if (!view) return;
  $("link").href = location.href;
  $("link").textContent = location.href;
  $("seats").replaceChildren(...view.users.map((user) => {
    const hand = document.createElement("span");
    hand.className = "hand " + (user.vote ? "up" : user.has_vote ? "down" : "");
    hand.textContent = user.vote ?? "";
    hand.setAttribute("aria-label", user.vote ? `card ${user.vote}` : user.has_vote ? "has voted" : "has not voted");
    const seat = document.createElement("li");
    seat.append(hand, user.user_name + (user.user_id === me.user_id ? " (you)" : ""));
    return seat;
  }));
  $("cards").replaceChildren(...(me.seated ? view.valid_sizes.split(" ") : []).map((card) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = card;
    button.disabled = view.is_revealed;
    button.setAttribute("aria-pressed", String(me.vote === card));
    button.onclick = () => (me.vote === card ? act("take_back") : act("vote", { card }));
    return button;
  }));
  $("host").hidden = !me.host;
  $("show").disabled = view.is_revealed;
  const votes = view.users.filter((user) => user.vote).map((user) => user.vote);
  $("result").textContent = view.is_revealed && votes.length > 0 ? "Cards: " + votes.join(", ") : "";
}

$("start").onsubmit = async (event) => {
  event.preventDefault();
  sessionStorage.name = $("name").value;
  try {
    if (!room()) {
      const made = await ask("create", {});
      localStorage["hostKey " + made.room] = made.host_key;
      location.hash = made.room;
    }
    await enter();
  } catch (error) {
    say(error.message);
  }
};
$("show").onclick = () => act("show");
$("reset").onclick = () => act("reset");
window.onhashchange = () => (room() && view?.room_id !== room().slice(6) ? enter() : draw());
$("name").value = sessionStorage.name ?? "";
draw();
connect();
