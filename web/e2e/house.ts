// A server and a browser for all journeys of one file, from before the first to after the last.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { launch } from "./people.js";
import { type Server, startServer } from "./server.js";

export interface House {
  server: Server;
  browser: Browser;
}

/** Filled before the first journey begins. */
export function openHouse(): House {
  const house = {} as House;
  beforeAll(async () => {
    house.server = await startServer();
    house.browser = await launch();
  });
  afterAll(async () => {
    await house.browser?.close();
    await house.server?.end();
  });
  return house;
}
