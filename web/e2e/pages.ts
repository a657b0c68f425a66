// The built pages, served as the binary serves them: any path that is no file is the page, under the same policy.

import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const TYPES: Record<string, string> = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const POLICY = "default-src 'self'; connect-src 'self' ws: wss:; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'";

export async function pagesInFrontOf(server: string): Promise<{ url: string; close: () => Promise<void> }> {
  const { hostname, port } = new URL(server);
  const front = createServer((asked, answer) => {
    const path = new URL(asked.url ?? "/", server).pathname;
    if (/^\/(v1\/|openapi\.json|healthz|readyz|metrics)/.test(path)) {
      const onward = request({ hostname, port, path: asked.url, method: asked.method, headers: asked.headers }, (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        got.pipe(answer);
      });
      onward.on("error", () => answer.writeHead(502).end());
      asked.pipe(onward);
      return;
    }
    const file = join(DIST, normalize(path));
    const found = file.startsWith(DIST) && existsSync(file) && statSync(file).isFile() ? file : join(DIST, "index.html");
    answer.writeHead(200, { "content-type": TYPES[extname(found)] ?? "application/octet-stream", "content-security-policy": POLICY });
    createReadStream(found).pipe(answer);
  });
  front.on("upgrade", (asked, socket, head) => {
    const onward = connect(Number(port), hostname, () => {
      const headers = asked.rawHeaders.reduce((text, part, at) => text + part + (at % 2 ? "\r\n" : ": "), "");
      onward.write(`${asked.method} ${asked.url} HTTP/1.1\r\n${headers}\r\n`);
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    onward.on("error", () => socket.destroy());
    onward.on("close", () => socket.destroy());
    socket.on("error", () => onward.destroy());
    socket.on("close", () => onward.destroy());
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const { port: own } = front.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    close: () =>
      new Promise((resolve) => {
        front.close(() => resolve());
        front.closeAllConnections();
      }),
  };
}
