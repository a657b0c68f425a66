// The whole helper as one file for pages without a build: <script type="module" src="/parlor-shop.js"></script>. It knows
// <parlor-cart-count>, and scripts of the page import `page` from the same address.

import { type Shop, shop } from "./shop.js";
import { defineCartCount } from "./shop/element.js";

export * from "./shop.js";

let only: Shop | undefined;

/** The one shop of this page, on its own server. */
export const page = (): Shop => (only ??= shop());

defineCartCount(page);
