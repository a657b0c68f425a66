import { connect } from "parlor-sdk";

const server = "https://parlor.example";
const parlor = connect({ server });
const room = await parlor.enter("space/…");

// Cursors: a presence. Not stored, and gone
// when you are.
const cursors = room.presence<Spot>("cursors");
onpointermove = ({ x, y }) => {
  cursors.set({ x, y });
};
cursors.subscribe(() => {
  draw(cursors.others());
});

// Notes: a map. Shown at once, sent when
// there is a line.
const board = room.map<Note>("board");
board.subscribe(() => draw(board.toJSON()));
const note = { x: 40, y: 60, text: "Milk?" };
board.set("n1", note);

// A whole drag is one step to undo.
const done = room.oneStep();
board.set("n1", { ...note, x: 200 });
board.set("n1", { ...note, x: 210 });
done();
await room.undo();

interface Spot { x: number; y: number }
interface Note extends Spot { text: string }
declare function draw(what: unknown): void;
