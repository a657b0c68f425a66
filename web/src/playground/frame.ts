// What a frame says, as far as the panel shows it.

/** People show this panel to each other: keys and tokens stay secret. */
export const masked = (text: string): string => text.replace(/("(?:user_key|host_key|token)"\s*:\s*")[^"]*"/g, '$1•••"');

/** Presence passes many times a second. */
export const isNoise = (word: string | null): boolean => word?.startsWith("presence") ?? false;

/** The verb of a request, the word of a push; null for an answer. */
export function wordOf(text: string): string | null {
  try {
    const frame = JSON.parse(text) as { do?: string; push?: string };
    return frame.do ?? frame.push ?? null;
  } catch {
    return null;
  }
}
