// Who is here, and what each of them shows. Nothing of this is stored; it comes in pieces and is forgotten with `whole`.

import type { Box, Info, Person, Presence, Present, Stop } from "./api.js";
import type { Socket } from "../socket.js";
import { Listeners } from "../listeners.js";
import { PRESENCE_MS_MIN, PRESENCE_SECONDS, type PresenceNews, type PresencePush } from "./words.js";

/** What presences need of their space. */
export interface Stage {
  /** Whether there is a connection on which something can be said now. */
  readonly online: boolean;
  readonly me: { readonly userId: string } | null;
  readonly socket: Pick<Socket, "outside" | "ring">;
  post(verb: string, words: object): void;
}

export class People {
  /** Explicitly created presences and how long their values last. */
  readonly seconds = new Map<string, number>();
  readonly #numbers = new Map<number, Person>();
  readonly #parts = new Map<string, PresencePart<unknown>>();
  #list: readonly Person[] | null = null;

  constructor(private readonly stage: Stage) {}

  get who(): readonly Person[] {
    return (this.#list ??= [...this.#numbers.values()]);
  }

  presence(name: string): PresencePart<unknown> {
    let part = this.#parts.get(name);
    if (!part) this.#parts.set(name, (part = new PresencePart(name, this.stage, this.#numbers, this.seconds)));
    return part;
  }

  /** We are connected anew: what we show and what we look at is said again. */
  greet(): void {
    for (const part of this.#parts.values()) part.greet();
  }

  /** Says whether somebody came or went. */
  take({ whole, who = [], gone = [], of = {} }: PresencePush): boolean {
    const moved = !!whole || who.length + gone.length > 0;
    const news = new Map(Object.entries(of));
    if (whole) this.#numbers.clear();
    for (const [number, userId, info] of who) this.#numbers.set(number, { userId, info: info as Info });
    for (const number of gone) this.#numbers.delete(number);
    for (const name of news.keys()) this.presence(name);
    for (const [name, part] of this.#parts) {
      if (whole) part.values.clear();
      for (const number of gone) part.values.delete(number);
      part.take(news.get(name) ?? {}, moved);
    }
    if (moved) this.#list = null;
    return moved;
  }
}

export class PresencePart<T> implements Presence<T> {
  readonly values = new Map<number, T>();
  mine: T | undefined;
  #lasting: number | undefined;
  #box: Box | null = null;
  #saidAt = -Infinity;
  #unsaid = false;
  /** Takes the alarm for the next word back. */
  #hush: Stop = () => {};
  /** What we gave out, so that what is the same stays the same object. */
  #cards = new Map<number, Present<T>>();
  #everyone: readonly Present<T>[] | null = null;
  #others: readonly Present<T>[] | null = null;
  readonly #listeners = new Listeners<[this]>();

  constructor(
    readonly name: string,
    private readonly stage: Stage,
    private readonly numbers: ReadonlyMap<number, Person>,
    private readonly seconds: ReadonlyMap<string, number>,
  ) {}

  others(): readonly Present<T>[] {
    return (this.#others ??= this.all().filter((person) => !this.#isMe(person)));
  }

  all(): readonly Present<T>[] {
    if (this.#everyone) return this.#everyone;
    const cards = new Map<number, Present<T>>();
    for (const [number, person] of this.numbers) {
      // What we show is known here before the server says it.
      const value = (this.#isMe(person) ? this.mine : undefined) ?? this.values.get(number);
      const card = this.#cards.get(number);
      if (value !== undefined) cards.set(number, card?.value === value && card.info === person.info ? card : { ...person, value });
    }
    this.#cards = cards;
    return (this.#everyone = [...cards.values()]);
  }

  set(value: T, { seconds }: { readonly seconds?: number } = {}): void {
    this.mine = value;
    this.#lasting = seconds;
    this.#unsaid = true;
    this.#say();
    this.#tell();
  }

  remove(): void {
    this.mine = undefined;
    if (this.stage.online) this.stage.post("presence_remove", { presence: this.name });
    this.#tell();
  }

  view(box: Box | null): void {
    this.#box = box;
    if (this.stage.online) this.#look();
  }

  subscribe(listener: (presence: Presence<T>) => void): Stop {
    return this.#listeners.add(listener, this);
  }

  greet(): void {
    if (this.#box) this.#look();
    this.#unsaid = true;
    this.#say();
  }

  take({ keys = [], set = [], raw = [], unset = [] }: PresenceNews, everyone: boolean): void {
    for (const number of unset) this.values.delete(number);
    for (const [number, ...values] of set) this.values.set(number, Object.fromEntries(keys.map((key, at) => [key, values[at]])) as T);
    for (const [number, value] of raw) this.values.set(number, value as T);
    // Our own value comes back to us, and is no news of the others.
    const numbers = [...unset, ...[...set, ...raw].map(([number]) => number)];
    if (everyone || numbers.some((number) => !this.#isMe(this.numbers.get(number)))) this.#others = null;
    if (everyone || numbers.length > 0) this.#tell();
  }

  #tell(): void {
    this.#everyone = null;
    this.#listeners.tell(this);
  }

  #isMe(person?: Person): boolean {
    return person?.userId === this.stage.me?.userId;
  }

  /** Says the newest value as soon as the last word is long enough ago, and again when half of its time has passed. */
  #say(): void {
    const { name, mine, stage } = this;
    const lasting = this.#lasting;
    this.#hush();
    if (!stage.online || mine === undefined) return;
    const now = stage.socket.outside.now();
    const half = (lasting ?? this.seconds.get(name) ?? PRESENCE_SECONDS) * 500;
    const wait = () => this.#saidAt + (this.#unsaid ? PRESENCE_MS_MIN : half) - now;
    if (wait() <= 0) {
      this.#unsaid = false;
      this.#saidAt = now;
      stage.post("presence_set", { presence: name, value: mine, ...(lasting && { seconds: lasting }) });
    }
    this.#hush = stage.socket.ring(wait(), () => this.#say());
  }

  #look(): void {
    this.stage.post("presence_view", { presence: this.name, box: this.#box });
  }
}
