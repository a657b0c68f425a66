// The model server behind a real WebSocket, for tests of what only a real one shows.

import { type AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { Dice } from "./dice.js";
import { Line, Server } from "./server.js";

export interface Served {
  readonly url: string;
  readonly server: Server;
  /** Breaks all lines. */
  cut(): void;
  close(): Promise<void>;
}

export async function serve(room = "space/s"): Promise<Served> {
  const server = new Server(new Dice(1), room);
  const sockets = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  sockets.on("connection", (socket) => {
    const line = new Line((text) => socket.send(text));
    socket.on("message", (data) => {
      server.heard(line, String(data));
      while (!server.idle) for (const call of server.due()) call();
    });
    socket.on("close", () => server.gone(line));
  });
  await new Promise((resolve) => sockets.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(sockets.address() as AddressInfo).port}`,
    server,
    cut: () => sockets.clients.forEach((socket) => socket.terminate()),
    close: () => new Promise((resolve) => {
      sockets.clients.forEach((socket) => socket.terminate());
      sockets.close(() => resolve());
    }),
  };
}
