// Why the camera does not open, in words that the page has a sentence for.

export type NoCamera = "refused" | "missing" | "busy" | "insecure";

/** The browser's name of the failure; null when there is no way to ask at all. */
export function whyNoCamera(failure: string | null): NoCamera {
  switch (failure) {
    case null: return "insecure";
    case "NotAllowedError":
    case "SecurityError": return "refused";
    case "NotReadableError":
    case "AbortError": return "busy";
    default: return "missing";
  }
}
