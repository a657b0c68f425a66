import { connect } from "parlor-sdk";

const parlor = connect({ server: "https://parlor.example" });
const room = await parlor.enter("space/…");

// A list: items with ids, in an order that is the same for everyone.
const todo = room.list<{ text: string; done: boolean }>("todo");
todo.subscribe((list) => draw(list.items()));

const { id } = todo.push({ text: "Milk", done: false });
const bread = todo.insertAfter(id, { text: "Bread", done: false });
todo.set(id, { text: "Milk", done: true });

// "After that one" keeps its meaning, whatever others move meanwhile.
todo.move(id, { after: bread.id });
todo.remove(id);

declare function draw(items: readonly { id: string; value: { text: string; done: boolean } }[]): void;
