import { connect } from "parlor-sdk";

const parlor = connect({ server: "https://parlor.example" });
const room = await parlor.enter("space/…");

// Cursors: a presence. Not stored, and gone when you are.
const cursors = room.presence<{ x: number; y: number }>("cursors");
addEventListener("pointermove", ({ clientX: x, clientY: y }) => cursors.set({ x, y }));
cursors.subscribe((all) => drawCursors(all.others()));

// Notes: a map. Shown at once, sent when there is a line.
const board = room.map<Note>("board");
board.subscribe((notes) => drawNotes(notes.toJSON()));
board.set("n1", { x: 40, y: 60, text: "Milk?", colour: "lemon", by: "Ana" });

// A whole drag is one step to undo.
const done = room.oneStep();
board.set("n1", { ...board.get("n1")!, x: 200 });
done();
await room.undo();

interface Note { x: number; y: number; text: string; colour: string; by: string }
declare function drawCursors(of: readonly { userId: string; value: { x: number; y: number } }[]): void;
declare function drawNotes(notes: Readonly<Record<string, Note>>): void;
