// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { defineCartCount } from "../src/shop/element.js";
import { House } from "./model/shop.js";

test("the element keeps what stands in it until the cart is known, and follows it then", async () => {
  const house = new House();
  const tab = house.tab();
  const other = house.tab();
  let asked = 0;
  defineCartCount(() => (asked++, tab.shop));
  defineCartCount(() => expect.fail("it is defined once"));
  expect(asked).toBe(0);
  document.body.innerHTML = "<parlor-cart-count>3</parlor-cart-count>";
  const element = document.querySelector("parlor-cart-count")!;
  expect(element.textContent).toBe("3");
  await house.settle();
  expect([element.textContent, element.hasAttribute("empty")]).toEqual(["0", true]);
  await other.shop.cart.add("7", 2);
  await house.settle();
  expect([element.textContent, element.hasAttribute("empty")]).toEqual(["2", false]);
  element.remove();
  await other.shop.cart.add("7");
  await house.settle();
  expect(element.textContent).toBe("2");
  expect(house.streams.filter(({ open }) => open)).toHaveLength(0);
});
