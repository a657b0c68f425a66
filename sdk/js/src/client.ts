// The friendly face: promises instead of tokens, rooms instead of addresses.

import type { Answered, Door } from "./door.js";
import { ParlorError } from "./error.js";
import { type Outside, type WireClass, outside } from "./outside.js";
import type { EnterOptions, Frame, Space, SpaceWish, Stop } from "./space/api.js";
import { Listeners } from "./listeners.js";
import { Place } from "./space/space.js";
import { Socket, type Told } from "./socket.js";
import { type Session as Proof, type Status, type Token, begin } from "./state.js";
import type { Venue } from "./venue.js";
import type { Failure, Words } from "./wire.js";

/** Where keys rest between visits. They are secrets: keep them where only this program reads. */
export interface Keyring {
  userKey(): string | undefined;
  /** A keyring that has one from elsewhere by now may keep that; we are who `userKey` says afterwards. */
  keepUserKey(key: string): void;
  hostKey(room: string): string | undefined;
  keepHostKey(room: string, key: string): void;
}

export interface Options {
  /** The server, `https://host`; without one, the page's own. */
  readonly server?: string;
  /** Without one, keys are kept in memory, and whoever comes back is somebody new. */
  readonly keys?: Keyring;
  /** Names this running program; one name is never used by two at once. A new one is made when it is left out. */
  readonly client?: string;
  /** Gives the token (a JWT, or one for the server's webhook) that says who we are; asked again when it has expired. */
  readonly auth?: () => Promise<string>;
  /** How sockets are opened where there is no built-in one, as in Node 20: the package `ws`. */
  readonly WebSocket?: WireClass;
  readonly nextNumber?: number;
  /** Whether the browser holds a session's cookie. */
  readonly cookie?: boolean;
}

export interface Made {
  readonly room: string;
  readonly room_id: string;
}

export interface Session {
  readonly user_id: string;
  readonly user_name: string;
  readonly expires_at: number;
}

export class Client {
  readonly #base: string;
  readonly #socket: Socket;
  readonly #waiting = new Map<Token, Answered>();
  readonly #venues = new Map<string, Venue<any>>();
  readonly #listeners = new Listeners<[Status]>();
  #lastToken = 0;
  #offset = 0;
  /** What the connection does. */
  status: Status = { phase: "idle" };
  readonly keys: Keyring;
  readonly #auth: (() => Promise<string>) | undefined;
  #authorizing = false;
  readonly #door: Door;
  /** How long the last ping took there and back, in milliseconds; null before the first. */
  latency: number | null = null;

  constructor(options: Options, world: Outside = outside(options.WebSocket)) {
    this.keys = options.keys ?? memory();
    this.#auth = options.auth;
    this.#base = (options.server ?? location.origin).replace(/\/$/, "");
    const state = begin({
      client: options.client ?? world.name(),
      userKey: this.keys.userKey(),
      nextNumber: options.nextNumber ?? 1,
      session: this.#auth ? { by: "app", token: null, fresh: true } : { by: options.cookie ? "cookie" : "nothing" },
    });
    this.#socket = new Socket(this.#base.replace(/^http/, "ws") + "/v1/ws", state, world, (effect) => this.#told(effect));
    this.#door = this.#doorOf(this.#socket);
  }

  get nextNumber(): number {
    return this.#socket.nextNumber;
  }

  /** The server's time now, as well as we know it. */
  now(): number {
    return this.#socket.outside.now() + this.#offset;
  }

  start(): this {
    this.#socket.take({ input: "start" });
    return this;
  }

  stop(): void {
    this.#socket.take({ input: "stop" });
    this.#socket.silence();
  }

  /** Tries now instead of later, and makes sure that a quiet connection is alive. */
  wake(): void {
    this.#socket.take({ input: "woke" });
  }

  subscribe(listener: (status: Status) => void): () => void {
    return this.#listeners.add(listener, this.status);
  }

  /** Makes a room of some kind; its host key goes to the keyring. */
  async create(kind: string, wish: object): Promise<Made> {
    const made = await this.#ask("create", { kind, ...wish });
    const room = String(made["room"]);
    this.keys.keepHostKey(room, String(made["host_key"]));
    return { room, room_id: String(made["room_id"]) };
  }

  /** Makes a new space; its host key goes to the keyring. */
  createSpace(wish: SpaceWish = {}): Promise<Made> {
    return this.create("space", wish);
  }

  /** Goes into a space; resolves when everything is there, rejects with the server's code. */
  enter(address: string, options?: EnterOptions): Promise<Space> {
    return this.space(address).enter(options);
  }

  /** The space of that id or address, which may be entered; always the same one until it is left. */
  space(id: string): Space {
    return this.venue(`space/${id.replace(/^space\//, "")}`, (address, door) => new Place(address, door));
  }

  /** Tells every frame that comes and goes. */
  frames(listener: (frame: Frame) => void): Stop {
    return this.#socket.watchers.add(listener);
  }

  /** Takes a name that nobody else may use while the session lives. The browser keeps the proof in a cookie. */
  async login(userName: string): Promise<Session> {
    const session = await this.rest<Session>("login", { user_name: userName });
    this.#identify({ by: "cookie" });
    return session;
  }

  async logout(): Promise<void> {
    await this.rest("logout", {});
    this.#identify({ by: "nothing" });
  }

  /** Who the browser's cookie says we are, if anybody. */
  verify(): Promise<Session> {
    return this.rest<Session>("session");
  }

  #identify(session: Proof): void {
    this.#socket.take({ input: "identify", session });
  }

  /** Another program of the same person may have been given a key at the same time: then we become that one. */
  #keepUserKey(key: string): void {
    const { keys } = this;
    keys.keepUserKey(key);
    const userKey = keys.userKey() ?? key;
    // Later, because this is one of several effects, and those after it are about the connection as it is.
    if (userKey !== key) queueMicrotask(() => this.#socket.take({ input: "identify", session: { by: "nothing" }, userKey }));
  }

  /** One question to the server without a socket. */
  async rest<T>(path: string, body?: object): Promise<T> {
    return (await this.fetch(path, body)).json() as Promise<T>;
  }

  /** A good answer; any other is an error with the server's reason. */
  async fetch(path: string, body?: object, init: { method?: string; headers?: Record<string, string>; credentials?: RequestCredentials } = {}): Promise<Response> {
    const answer = await fetch(`${this.#base}/v1/${path}`, {
      credentials: "same-origin",
      ...(body && { method: "POST", body: JSON.stringify(body) }),
      ...init,
      headers: { "content-type": "application/json", ...init.headers },
    }).catch(() => {
      throw new ParlorError("offline", "the server is out of reach", true);
    });
    if (answer.ok) return answer;
    const words = (await answer.json().catch(() => null)) as { error?: Failure } | null;
    throw asError(words?.error ?? { code: "internal", message: `status ${answer.status}`, retry: false });
  }

  /** What rooms and spaces need of us. */
  #doorOf(socket: Socket): Door {
    const act = (room: string, verb: string, words: object) => (token: Token) => socket.take({ input: "act", token, room, verb, with: words });
    return {
      socket,
      enter: (venue, hostKey) => {
        const room = venue.address;
        this.#venues.set(room, venue);
        return this.#promise((token) => socket.take({ input: "enter", token, room, hostKey: hostKey ?? this.keys.hostKey(room) }));
      },
      exit: (room) => {
        socket.take({ input: "exit", room });
        this.#venues.delete(room);
      },
      act: (...words) => this.#promise(act(...words)),
      command: (room, verb, words, answered) => {
        const n = socket.nextNumber;
        this.#wait(answered, act(room, verb, words));
        return n;
      },
    };
  }

  /** The room of that address, made if there is none. */
  venue<V extends Venue<any>>(address: string, make: (address: string, door: Door) => V): V {
    const venue = (this.#venues.get(address) as V | undefined) ?? make(address, this.#door);
    this.#venues.set(address, venue);
    return venue;
  }

  /** Asks the app for a token; one question at a time, however often the connection fails meanwhile. */
  #authorize(): void {
    if (this.#authorizing || !this.#auth) return;
    this.#authorizing = true;
    const give = (token: string | null) => {
      this.#authorizing = false;
      this.#socket.take({ input: "token", token });
    };
    new Promise<string>((resolve) => resolve(this.#auth!())).then(give, () => give(null));
  }

  #ask(verb: string, words: object): Promise<Words> {
    return this.#promise((token) => this.#socket.take({ input: "ask", token, verb, with: words }));
  }

  #promise(start: (token: Token) => void): Promise<Words> {
    return new Promise((resolve, reject) => this.#wait((error, ok) => (error ? reject(error) : resolve(ok)), start));
  }

  #wait(answered: Answered, start: (token: Token) => void): void {
    this.#waiting.set(++this.#lastToken, answered);
    start(this.#lastToken);
  }

  #told(effect: Told): void {
    switch (effect.effect) {
      case "answer": {
        const answered = this.#waiting.get(effect.token);
        this.#waiting.delete(effect.token);
        return answered?.(effect.error && asError(effect.error), effect.ok ?? {});
      }
      case "tell": return this.#venues.get(effect.room)?.told(effect.update);
      case "authorize": return this.#authorize();
      case "keep": return this.#keepUserKey(effect.userKey);
      case "clock":
        this.#offset = effect.offset;
        this.latency = effect.latency;
        return;
      case "signed_out": return; // The next status says who we are.
      case "status":
        this.#listeners.tell((this.status = effect.status));
    }
  }
}

/** A keyring that forgets everything when the program ends. */
function memory(): Keyring {
  const kept = new Map<string, string>();
  const keep = (room: string, key: string) => void kept.set(room, key);
  return { userKey: () => kept.get(""), keepUserKey: (key) => keep("", key), hostKey: (room) => kept.get(room), keepHostKey: keep };
}

/** A client that is already on its way. */
export function connect(options: Options = {}): Client {
  return new Client(options).start();
}

function asError({ code, message, retry, reason }: Failure): ParlorError {
  return new ParlorError(code, message, retry, reason);
}
