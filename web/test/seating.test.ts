import { expect, test } from "vitest";
import { seating } from "../src/lib/seating.js";

const sit = (people: string, me = "me") => {
  const { far, near } = seating(people.split(" ").filter(Boolean), (person) => person === me);
  return `${far.join(" ")} | ${near.join(" ")}`;
};

test("a small group looks at us", () => expect(sit("a me b")).toBe("a b | me"));
test("a larger one sits around, with us in the middle of the near side", () => expect(sit("a b c d e f g me h i")).toBe("a b c d e | f g me h i"));
test("who only watches sees everyone", () => expect(sit("a b c d e f", "-")).toBe("a b c | d e f"));
test("a crowd keeps its order", () => expect(sit("a b c d e f g h i j k l m me n")).toBe(" | a b c d e f g h i j k l m me n"));
test("an empty table is empty", () => expect(sit("")).toBe(" | "));
