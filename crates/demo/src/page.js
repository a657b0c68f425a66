// What the pages gain with JavaScript: cart buttons that do not leave the page, the count live in every tab, what is popular, names
// instead of numbers. All of it is there without, only slower.

const helper = await import("/parlor-shop.js").catch(() => null);

const named = async (ids) => (ids.length ? (await fetch(`/names?ids=${ids.join(",")}`)).json() : {});

async function nameTheSeen() {
  const links = [...document.querySelectorAll(".parlor-viewed a")];
  const names = await named(links.map((link) => link.textContent));
  for (const link of links) link.textContent = names[link.textContent] ?? link.textContent;
}

async function showPopular(shop) {
  const section = document.getElementById("popular");
  if (!section) return;
  const popular = await shop.popular(8);
  if (popular.length === 0) return;
  const cards = await fetch(`/cards?ids=${popular.map(({ item }) => encodeURIComponent(item)).join(",")}`);
  section.insertAdjacentHTML("beforeend", await cards.text());
  section.hidden = false;
}

function enhanceForms(shop) {
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form[data-cart]");
    if (!form) return;
    event.preventDefault();
    const data = new FormData(form);
    const item = String(data.get("item") ?? "");
    const quantity = Number(data.get("quantity") ?? 1);
    const button = event.submitter ?? form.querySelector("button");
    try {
      if (form.dataset.cart === "add") await shop.cart.add(item, quantity);
      else if (form.dataset.cart === "set") await shop.cart.set(item, quantity);
      else if (form.dataset.cart === "remove") await shop.cart.remove(item);
      else await shop.cart.clear();
      if (location.pathname === "/cart") location.reload();
      else said(button, "In the cart");
    } catch (error) {
      said(button, error.message);
    }
  });
}

function said(button, words) {
  const before = button.textContent;
  button.textContent = words;
  setTimeout(() => (button.textContent = before), 1500);
}

if (helper) {
  const shop = helper.page();
  enhanceForms(shop);
  shop.subscribe(({ visit }) => {
    if (visit?.user) document.getElementById("who").textContent = visit.user;
  });
  // The cart page is made by the shop; a change in another tab makes it anew. What counts is what stands on the page: the cart may
  // have changed between its making and the first word about it.
  if (location.pathname === "/cart") {
    const words = (lines) => JSON.stringify(lines.sort(([one], [other]) => (one < other ? -1 : 1)));
    const rows = [...document.querySelectorAll("[data-cart-item]")];
    const shown = words(rows.map((row) => [row.dataset.cartItem, Number(row.querySelector("[name=quantity]").defaultValue)]));
    shop.cart.subscribe(({ lines, known, saved }) => {
      if (!known || !saved) return;
      const now = words(lines.map(({ item, quantity }) => [item, quantity]));
      // Once for each: a shop that cannot show it would be asked for ever.
      if (now === shown || sessionStorage.getItem("cart made for") === now) return;
      sessionStorage.setItem("cart made for", now);
      location.reload();
    });
  }
  await Promise.allSettled([shop.begin(), showPopular(shop)]);
}
await nameTheSeen();
