// <parlor-cart-count>: the number of things in the cart, live. What stands in it stays until the cart is known, so that
// a number from the server, or from a slot that the edge filled, is there from the first moment.

import type { Shop } from "../shop.js";
import type { Stop } from "../space/api.js";

export const NAME = "parlor-cart-count";

/** Makes the element known; `shop` is asked for when the first one is on the page. */
export function defineCartCount(shop: () => Shop): void {
  if (customElements.get(NAME)) return;
  customElements.define(NAME, class extends HTMLElement {
    #stop: Stop | null = null;

    connectedCallback(): void {
      this.#stop ??= shop().cart.subscribe(({ count, known }) => {
        if (!known && count === 0) return;
        this.textContent = String(count);
        // For styles: an empty cart may look different.
        this.toggleAttribute("empty", count === 0);
      });
    }

    disconnectedCallback(): void {
      this.#stop?.();
      this.#stop = null;
    }
  });
}
