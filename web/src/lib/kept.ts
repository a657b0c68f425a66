// The browser's storage, for what may be lost: a private window, a full disk or a strict setting is no error.

export function kept<T>(name: string, otherwise: T, store: () => Storage = () => localStorage): T {
  try {
    const text = store().getItem(`parlor.${name}`);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

export function keep(name: string, value: unknown, store: () => Storage = () => localStorage): void {
  try {
    if (value === undefined) store().removeItem(`parlor.${name}`);
    else store().setItem(`parlor.${name}`, JSON.stringify(value));
  } catch {
    // It will be asked for again.
  }
}
