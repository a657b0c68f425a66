import { connect } from "parlor-sdk";

const server = "https://parlor.example";
const parlor = connect({ server });
const room = await parlor.enter("space/…");

parlor.frames(({ way, bytes, text }) => {
  console.log(way, bytes, text);
});
parlor.subscribe(({ phase }) => {
  // online, waiting, connecting, …
  console.log(phase, parlor.latency);
});
room.subscribe(({ stage, pending }) => {
  // away: the line is gone. Go on: what you
  // change waits, and is sent once and in
  // order when the line is back.
  console.log(stage, pending, room.at);
});
room.refused(({ code }) => console.log(code));
