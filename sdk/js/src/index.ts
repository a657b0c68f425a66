// Parlor from a browser or a program: rooms that survive cuts, sleep and restarts.
//
//   state       what a connection knows, hears and wants done
//   connection  what to do when something happens; pure. Rooms in seats.ts, what is shown of them in shows.ts
//   socket      the network; the clock and the dice are in outside.ts
//   client      the friendly face: connect, create, enter, subscribe
//   space       maps, lists, presences: api.ts says what a program sees, space.ts holds it together
//   poker       planning poker, an entry of its own; table.ts has the words that the server's own types give
//   reels       the party game, another; its words in reels-words.ts

export { Client, connect, type Options, type Keyring, type Made, type Session } from "./client.js";
export type { Room, RoomState } from "./room.js";
export type * from "./space/api.js";
export { ParlorError, type Code } from "./error.js";
export type { Wire, WireClass } from "./outside.js";
export type { Status } from "./state.js";
export type { Place, Said, Update } from "./wire.js";
export type * from "./poker.js";
export type * from "./reels.js";
