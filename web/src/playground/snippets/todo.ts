import { connect } from "parlor-sdk";

const server = "https://parlor.example";
const parlor = connect({ server });
const room = await parlor.enter("space/…");

// A list: items with ids, in an order that
// is the same for everyone.
const todo = room.list<Task>("todo");
todo.subscribe(() => draw(todo.items()));

const milk = todo.push({ text: "Milk" });
const { id } = milk; // known at once
const bread = { text: "Bread" };
const next = todo.insertAfter(id, bread);
todo.set(id, { text: "Milk", done: true });

// "After that one" keeps its meaning,
// whatever others move meanwhile.
todo.move(id, { after: next.id });
todo.remove(id);

interface Task { text: string; done?: boolean }
declare function draw(what: unknown): void;
