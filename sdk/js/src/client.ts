// The friendly face: promises instead of tokens, rooms instead of addresses.

import { ParlorError } from "./error.js";
import type { Deck, PokerRoom, PokerVerb, PokerWish } from "./poker.js";
import { type Outside, type WireClass, outside } from "./outside.js";
import { type Door, Room } from "./room.js";
import type { EnterOptions, Frame, Space, SpaceWish, Stop } from "./space/api.js";
import { Place, type SpaceDoor } from "./space/space.js";
import { Socket, type Told } from "./socket.js";
import { type Session as Proof, type Status, type Token, begin } from "./state.js";
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

type Settle = { resolve: (ok: Words) => void; reject: (error: ParlorError) => void };

export class Client {
  private readonly base: string;
  private readonly socket: Socket;
  private readonly waiting = new Map<Token, Settle>();
  private readonly rooms = new Map<string, Room<never, never>>();
  private readonly listeners = new Set<(status: Status) => void>();
  private lastToken = 0;
  private offset = 0;
  private current: Status = { phase: "idle" };
  private readonly keys: Keyring;
  private readonly auth: (() => Promise<string>) | undefined;
  private authorizing = false;
  private readonly outside: Outside;
  private readonly spaces = new Map<string, Place>();
  /** How long the last ping took there and back, in milliseconds; null before the first. */
  latency: number | null = null;

  constructor(options: Options, world?: Outside) {
    this.keys = options.keys ?? memory();
    this.auth = options.auth;
    this.outside = world ?? outside(options.WebSocket);
    this.base = (options.server ?? location.origin).replace(/\/$/, "");
    const state = begin({
      client: options.client ?? this.outside.name(),
      userKey: this.keys.userKey(),
      nextNumber: options.nextNumber ?? 1,
      session: this.auth ? { by: "app", token: null, fresh: true } : { by: options.cookie ? "cookie" : "nothing" },
    });
    this.socket = new Socket(this.base.replace(/^http/, "ws") + "/v1/ws", state, this.outside, (effect) => this.told(effect));
  }

  get status(): Status {
    return this.current;
  }

  get nextNumber(): number {
    return this.socket.nextNumber;
  }

  /** The server's time now, as well as we know it. */
  now(): number {
    return this.outside.now() + this.offset;
  }

  start(): this {
    this.socket.take({ input: "start" });
    return this;
  }

  stop(): void {
    this.socket.take({ input: "stop" });
    this.socket.silence();
  }

  /** Tries now instead of later, and makes sure that a quiet connection is alive. */
  wake(): void {
    this.socket.take({ input: "woke" });
  }

  subscribe(listener: (status: Status) => void): () => void {
    this.listeners.add(listener);
    listener(this.current);
    return () => this.listeners.delete(listener);
  }

  /** Opens a new table; its host key goes to the keyring. */
  createPoker(wish: PokerWish = {}): Promise<Made> {
    return this.create("poker", wish);
  }

  private async create(kind: string, wish: object): Promise<Made> {
    const made = await this.ask("create", { kind, ...wish });
    const room = String(made["room"]);
    this.keys.keepHostKey(room, String(made["host_key"]));
    return { room, room_id: String(made["room_id"]) };
  }

  poker(id: string): PokerRoom {
    return this.room(`poker/${id}`) as unknown as PokerRoom;
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
    const address = `space/${id.replace(/^space\//, "")}`;
    let space = this.spaces.get(address);
    if (!space) this.spaces.set(address, (space = new Place(address, this.spaceDoor)));
    return space;
  }

  /** Tells every frame that comes and goes. */
  frames(listener: (frame: Frame) => void): Stop {
    return this.socket.watchers.add(listener);
  }

  room(address: string): Room<never, never> {
    let room = this.rooms.get(address);
    if (!room) this.rooms.set(address, (room = new Room(address, this.door)));
    return room;
  }

  /** Takes a name that nobody else may use while the session lives. The browser keeps the proof in a cookie. */
  async login(userName: string): Promise<Session> {
    const session = await this.rest<Session>("POST", "login", { user_name: userName });
    this.identify({ by: "cookie" });
    return session;
  }

  async logout(): Promise<void> {
    await this.rest("POST", "logout", {});
    this.identify({ by: "nothing" });
  }

  /** Who the browser's cookie says we are, if anybody. */
  verify(): Promise<Session> {
    return this.rest<Session>("GET", "session");
  }

  /** The decks this server knows by name. */
  async decks(): Promise<readonly Deck[]> {
    return (await this.rest<{ decks: readonly Deck[] }>("GET", "decks")).decks;
  }

  /** One act by our user key alone, also while we are logged in: what the guest we were leaves behind. */
  async actAsGuest(id: string, verb: PokerVerb, words: object): Promise<void> {
    const headers = { "content-type": "application/json", "parlor-user-key": this.keys.userKey() ?? "" };
    const init: RequestInit = { method: "POST", headers, body: JSON.stringify(words), credentials: "omit" };
    await this.fetch(`rooms/poker/${encodeURIComponent(id)}/${verb}`, init);
  }

  /** Stories and rounds as a file. Keys prove who asks, and travel in headers only: no address can hold them. */
  async exportPoker(id: string, form: "csv" | "json"): Promise<Blob> {
    const headers: Record<string, string> = {};
    const [user, host] = [this.keys.userKey(), this.keys.hostKey(`poker/${id}`)];
    if (user) headers["parlor-user-key"] = user;
    if (host) headers["parlor-host-key"] = host;
    const answer = await this.fetch(`rooms/poker/${encodeURIComponent(id)}/export.${form}`, { headers });
    return answer.blob();
  }

  private identify(session: Proof): void {
    this.socket.take({ input: "identify", session });
  }

  /** Another program of the same person may have been given a key at the same time: then we become that one. */
  private keepUserKey(key: string): void {
    const { keys } = this;
    keys.keepUserKey(key);
    const userKey = keys.userKey() ?? key;
    // Later, because this is one of several effects, and those after it are about the connection as it is.
    if (userKey !== key) queueMicrotask(() => this.socket.take({ input: "identify", session: { by: "nothing" }, userKey }));
  }

  private async rest<T>(method: string, path: string, body?: object): Promise<T> {
    const init: RequestInit = { method };
    if (body) {
      init.headers = { "content-type": "application/json" };
      init.body = JSON.stringify(body);
    }
    return (await this.fetch(path, init)).json() as Promise<T>;
  }

  /** A good answer; any other is an error with the server's reason. */
  private async fetch(path: string, init: RequestInit): Promise<Response> {
    let answer: Response;
    try {
      answer = await fetch(`${this.base}/v1/${path}`, { credentials: "same-origin", ...init });
    } catch {
      throw new ParlorError("offline", "the server cannot be reached", true);
    }
    if (answer.ok) return answer;
    const words = (await answer.json().catch(() => null)) as { error?: Failure } | null;
    throw asError(words?.error ?? { code: "internal", message: `status ${answer.status}`, retry: false });
  }

  private readonly door: Door = {
    enter: (room) => this.promise((token) => this.socket.take({ input: "enter", token, room, hostKey: this.keys.hostKey(room) })),
    exit: (room) => {
      this.socket.take({ input: "exit", room });
      this.rooms.delete(room);
    },
    act: (room, verb, words) => this.promise((token) => this.socket.take({ input: "act", token, room, verb, with: words })),
    say: (room, data) => this.socket.take({ input: "say", room, data }),
  };

  private readonly spaceDoor: SpaceDoor = {
    enter: (space, hostKey) => {
      const { address: room } = space;
      this.spaces.set(room, space);
      return this.promise((token) => this.socket.take({ input: "enter", token, room, hostKey: hostKey ?? this.keys.hostKey(room) }));
    },
    exit: (room) => {
      this.socket.take({ input: "exit", room });
      this.spaces.delete(room);
    },
    act: (room, verb, words, answered) => {
      const token = ++this.lastToken;
      const n = this.socket.nextNumber;
      this.waiting.set(token, { resolve: (ok) => answered(undefined, ok), reject: (error) => answered(error, {}) });
      this.socket.take({ input: "act", token, room, verb, with: words });
      return n;
    },
    say: (room, data, verb = "say") => this.socket.take({ input: "say", room, data, verb }),
    at: (room) => this.socket.at(room),
    now: () => this.outside.now(),
    ring: (ms, call) => this.socket.ring(ms, call),
    soon: (call) => this.outside.soon(call),
    name: () => this.outside.name(),
  };

  /** Asks the app for a token; one question at a time, however often the connection fails meanwhile. */
  private authorize(): void {
    if (this.authorizing || !this.auth) return;
    this.authorizing = true;
    const give = (token: string | null) => {
      this.authorizing = false;
      this.socket.take({ input: "token", token });
    };
    new Promise<string>((resolve) => resolve(this.auth!())).then(give, () => give(null));
  }

  private ask(verb: string, words: object): Promise<Words> {
    return this.promise((token) => this.socket.take({ input: "ask", token, verb, with: words }));
  }

  private promise(start: (token: Token) => void): Promise<Words> {
    return new Promise((resolve, reject) => {
      const token = ++this.lastToken;
      this.waiting.set(token, { resolve, reject });
      start(token);
    });
  }

  private told(effect: Told): void {
    switch (effect.effect) {
      case "answer": {
        const settle = this.waiting.get(effect.token);
        this.waiting.delete(effect.token);
        if (effect.error) settle?.reject(asError(effect.error));
        else settle?.resolve(effect.ok ?? {});
        return;
      }
      case "tell": return (this.rooms.get(effect.room) ?? this.spaces.get(effect.room))?.told(effect.update);
      case "authorize": return this.authorize();
      case "keep": return this.keepUserKey(effect.userKey);
      case "clock":
        this.offset = effect.offset;
        this.latency = effect.latency;
        return;
      case "signed_out": return; // The next status says who we are.
      case "status":
        this.current = effect.status;
        for (const listener of this.listeners) listener(effect.status);
    }
  }
}

/** A keyring that forgets everything when the program ends. */
function memory(): Keyring {
  let user: string | undefined;
  const hosts = new Map<string, string>();
  return {
    userKey: () => user,
    keepUserKey: (key) => void (user = key),
    hostKey: (room) => hosts.get(room),
    keepHostKey: (room, key) => void hosts.set(room, key),
  };
}

/** A client that is already on its way. */
export function connect(options: Options = {}): Client {
  return new Client(options).start();
}

function asError({ code, message, retry }: Failure): ParlorError {
  return new ParlorError(code, message, retry);
}
