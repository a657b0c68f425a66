// One room on Bun's own pub/sub: everyone but the sender gets each message as it was sent, uncompressed.
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request, server) {
    return server.upgrade(request) ? undefined : new Response("this address speaks WebSocket", { status: 426 });
  },
  websocket: {
    perMessageDeflate: false,
    idleTimeout: 0,
    open(socket) {
      socket.subscribe("room");
    },
    message(socket, message) {
      socket.publish("room", message);
    },
  },
});
console.log(`listening on http://127.0.0.1:${server.port}`);
