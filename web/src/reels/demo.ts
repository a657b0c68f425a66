// The reels of the demo game: little scenes that this site draws itself. Their addresses are of this site, so that nothing
// has to be fetched from anywhere.

export const DEMO_REELS = 24;

/** The number of a demo reel's address, or null when the address is somebody else's. */
export function demoNumber(url: string, origin: string): number | null {
  if (!URL.canParse(url) || new URL(url).origin !== origin) return null;
  return demoPath(new URL(url).pathname);
}

/** The same, of a path. */
export function demoPath(path: string): number | null {
  const number = Number(/^\/reels\/demo\/(\d{1,2})\/?$/.exec(path)?.[1] ?? 0);
  return number >= 1 && number <= DEMO_REELS ? number : null;
}
