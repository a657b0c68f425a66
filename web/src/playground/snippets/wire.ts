import { connect } from "parlor-sdk";

const parlor = connect({ server: "https://parlor.example" });
const room = await parlor.enter("space/…");

parlor.frames(({ way, bytes, text }) => console.log(way, bytes, text));
parlor.subscribe((status) => console.log(status.phase)); // online, waiting, …

room.subscribe(({ stage, pending, saved }) => {
  // away: the line is gone. Go on; what you change waits,
  // and is sent once and in order when the line is back.
  console.log(stage, pending, saved, room.at, parlor.latency);
});
room.refused((error) => console.log(error.code));
