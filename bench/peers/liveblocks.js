// Liveblocks' rooms as its own development server serves them on Bun, but kept in memory instead of in SQLite.
import { Room } from "@liveblocks/server";

const rooms = new Map();
function room(id) {
  if (!rooms.has(id)) rooms.set(id, new Room(id));
  return rooms.get(id);
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request, server) {
    const entered = room(new URL(request.url).searchParams.get("roomId") ?? "room");
    const ticket = entered.createTicket({ scopes: ["room:write"] });
    const upgraded = server.upgrade(request, { data: { room: entered, ticket } });
    return upgraded ? undefined : new Response("this address speaks WebSocket", { status: 426 });
  },
  websocket: {
    perMessageDeflate: false,
    idleTimeout: 0,
    open(socket) {
      socket.data.room.startBrowserSession(socket.data.ticket, socket);
    },
    async message(socket, message) {
      await socket.data.room.handleData(socket.data.ticket.sessionKey, message);
    },
    close(socket, code, reason) {
      socket.data.room.endBrowserSession(socket.data.ticket.sessionKey, code, reason);
    },
  },
});
console.log(`listening on http://127.0.0.1:${server.port}`);
