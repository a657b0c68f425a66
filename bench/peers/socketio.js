// Maps in rooms on Socket.IO: a write is remembered, told to the others in the room, and acknowledged. WebSocket only.
import { createServer } from "node:http";
import { Server } from "socket.io";

const http = createServer();
const io = new Server(http, { transports: ["websocket"], perMessageDeflate: false, serveClient: false });
const maps = new Map();

io.on("connection", (socket) => {
  const room = socket.handshake.query.room;
  if (!maps.has(room)) maps.set(room, new Map());
  const map = maps.get(room);
  socket.join(room);
  socket.on("set", (key, value, acknowledge) => {
    map.set(key, value);
    socket.to(room).emit("set", key, value);
    acknowledge();
  });
});

http.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${http.address().port}`));
