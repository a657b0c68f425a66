// Hocuspocus as it comes, with no extension and so with no store: documents live as long as somebody has them open.
import { Server } from "@hocuspocus/server";

const server = new Server({ quiet: true, stopOnSignals: false, timeout: 600_000 });
server.httpServer.listen(0, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.httpServer.address().port}`);
});
