import { connect } from "parlor-sdk";

const server = "https://parlor.example";
const parlor = connect({ server });
const room = await parlor.enter("space/…");

const players = room.presence<Me>("players");
const coin = room.map<Spot>("coin");
const me = { x: 9, y: 9, name: "Ana", score: 0 };
players.set(me);

// Two reach for the coin, and one catches
// it: the server takes the change only from
// who saw the coin as it is.
async function reach() {
  const seen = coin.version("position");
  const next = anywhere();
  const only = { ifVersion: seen };
  try {
    await coin.set("position", next, only);
    me.score += 10;
    players.set(me);
  } catch {
    // Somebody was faster.
  }
}

interface Spot { x: number; y: number }
interface Me extends Spot { name: string; score: number }
declare function anywhere(): Spot;
export { reach };
