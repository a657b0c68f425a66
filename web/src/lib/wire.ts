// The line to the server with a switch in it, so that people can try what happens without a network: while it is cut,
// sockets close and new ones do not open. The connection itself does not know, and mends it as any other.

const open = new Set<WebSocket>();
let cut = false;

export class SwitchedWire extends WebSocket {
  constructor(url: string) {
    super(url);
    open.add(this);
    this.addEventListener("close", () => open.delete(this));
    if (cut) this.close();
  }
}

export function cutLine(yes: boolean): void {
  cut = yes;
  if (cut) for (const wire of open) wire.close();
}
