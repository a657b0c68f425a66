// Keys rest in this browser's storage and never appear in an address.

import type { Keyring } from "parlor-sdk";
import { keep, kept } from "./kept.js";

const HOST_KEYS_MAX = 200;

type HostKeys = [room: string, key: string][];

/** Without storage the keys still live as long as the page. */
let userKey = kept<string | undefined>("user_key", undefined);
let hostKeys = kept<HostKeys>("host_keys", []);

const isKey = (key: unknown): key is string => typeof key === "string" && /^[\x21-\x7e]{22,128}$/.test(key);

export const keys: Keyring = {
  userKey: () => (isKey(userKey) ? userKey : undefined),
  keepUserKey(key) {
    // Two tabs of a first visit are each given a key; the one kept first is who this browser is.
    const first = kept<string | undefined>("user_key", undefined);
    if (isKey(first) && first !== userKey) userKey = first;
    else keep("user_key", (userKey = key));
  },
  hostKey: (room) => hostKeys.find(([of]) => of === room)?.[1],
  keepHostKey(room, key) {
    // Another tab may have opened a table meanwhile.
    const others = kept<HostKeys>("host_keys", hostKeys).filter(([of]) => of !== room);
    keep("host_keys", (hostKeys = [[room, key] as [string, string], ...others].slice(0, HOST_KEYS_MAX)));
  },
};
