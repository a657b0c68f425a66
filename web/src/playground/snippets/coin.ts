import { connect } from "parlor-sdk";

const parlor = connect({ server: "https://parlor.example" });
const room = await parlor.enter("space/…");

const players = room.presence<{ x: number; y: number; name: string; score: number }>("players");
const coin = room.map<{ x: number; y: number }>("coin");
const me = { x: 100, y: 100, name: "Ana", score: 0 };

// Two reach for the coin, one catches it: the server takes
// the change only from who has seen the coin as it is now.
async function reach() {
  const ifVersion = coin.version("position");
  try {
    await coin.set("position", { x: Math.random() * 900, y: Math.random() * 540 }, { ifVersion });
    players.set({ ...me, score: (me.score += 10) });
  } catch {
    // Somebody was faster.
  }
}
coin.subscribe("position", (at) => at && Math.hypot(at.x - me.x, at.y - me.y) < 34 && reach());
