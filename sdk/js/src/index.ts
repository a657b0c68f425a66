// Parlor from a browser: rooms that survive cuts, sleep and restarts.
//
//   state       what a connection knows, hears and wants done
//   connection  what to do when something happens; pure
//   socket      the network, the clock and the dice
//   client      the friendly face: connect, create, enter, act, say, subscribe
//   poker       the words of planning poker; table.ts has those the server's own types give

export { Client, connect, type Options, type Keyring, type Made, type Session } from "./client.js";
export { Room, type RoomState } from "./room.js";
export type * from "./space/api.js";
export { ParlorError, type Code } from "./error.js";
export type { Status } from "./state.js";
export type { Place, Said, Update } from "./wire.js";
export * from "./poker.js";
