// The screen stays on while somebody plays, where the browser can do that. It lets go by itself when the page is hidden,
// so it is asked again when the page is back.

export function keepAwake(): () => void {
  let lock: WakeLockSentinel | null = null;
  let over = false;

  const ask = async () => {
    if (over || document.visibilityState !== "visible" || (lock && !lock.released)) return;
    try {
      const given = await navigator.wakeLock?.request("screen");
      if (over) await given?.release();
      else lock = given ?? null;
    } catch {
      // A low battery or a strict setting; the phone sleeps as usual.
    }
  };
  document.addEventListener("visibilitychange", ask);
  void ask();
  return () => {
    over = true;
    document.removeEventListener("visibilitychange", ask);
    void lock?.release().catch(() => {});
  };
}
