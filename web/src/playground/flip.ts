// Rows that change places glide there. Where each is seen is read before the page changes, and each starts from there
// afterwards: also in the middle of an earlier way, so that two moves at once do not flicker.

export type Tops = Map<Element, number>;

const GLIDE = { duration: 220, easing: "cubic-bezier(0.2, 0.7, 0.3, 1)" };
const glides = new WeakMap<Element, Animation>();

/** Where the rows are seen now. */
export function tops(list: Element): Tops {
  return new Map([...list.children].map((row) => [row, row.getBoundingClientRect().top]));
}

/** From where they were to where they are; `held` follows a hand and is left alone. */
export function glide(list: Element, before: Tops, held: Element | null, calm: boolean): void {
  for (const row of list.children) {
    glides.get(row)?.cancel();
    const was = before.get(row);
    if (was === undefined || row === held || calm) continue;
    const by = was - row.getBoundingClientRect().top;
    if (Math.abs(by) > 1) glides.set(row, row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], GLIDE));
  }
}
