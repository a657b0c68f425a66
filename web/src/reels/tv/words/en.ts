// The words of the big screen, in English; the measure of the other languages.

/** A few names in a sentence, and how many more. */
function all(names: readonly string[], more: number): string {
  if (more > 0) return `${names.join(", ")} and ${more} more`;
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

export const en = {
  entering: "The lights go down…",
  ends: (minutes: number) => `Ends in ${minutes} min`,
  menu: { close: "Close the game", fullscreen: "Full screen", help: "Keys", lobby: "How to join, and seats" },

  join: {
    scan: "Scan, or type",
    qr: "QR code of the address to join",
    code: "Code of the game",
    also: "You play too?",
    alsoLink: "Take a seat in another tab",
  },

  lobby: {
    title: "Who is playing?",
    taken: (taken: number, all: number) => `${taken} of ${all} seats taken`,
    free: "free",
    here: "here",
    away: "away",
    out: "left out",
    change: "Change",
    add: "Add a player",
    addHint: "Name",
    addButton: "Add",
    reset: "Free all seats",
    resetAsk: "Everybody has to take a seat again. Free all seats?",
    leaveOut: (n: number) => (n === 1 ? "Start without the free seat" : `Start without the ${n} free seats`),
    start: "Start the game",
    few: (have: number): string => (have === 0 ? "Nobody is in the game yet. It takes two." : "It takes two players."),
    waiting: (names: readonly string[], more: number) => `Waiting for ${all(names, more)}.`,
    ready: "Everybody is here!",
  },

  late: {
    title: "Seats",
    text: "Somebody comes late? Take the seat that was left out into the game, or add one. Somebody has another phone? Free theirs, and they take it again.",
  },

  seat: {
    name: "Name",
    rename: "Rename",
    deactivate: "Leave out of the game",
    activate: "Take into the game",
    release: "Free the seat",
    delete: "Delete the seat",
    bound: "Sent reels of its own: a new name is also the sender’s.",
    added: "Guesses only.",
    pictureOff: "Take the picture away",
  },

  item: {
    where: (reel: number, reels: number, round: number, rounds: number) => `Reel ${reel} of ${reels} · round ${round} of ${rounds}`,
    open: "Open the reel",
    again: "Open again",
    outside: "The reel plays in a window of its own.",
    next: "Next reel",
    lastNext: "To the recap",
    who: (k: number) => (k === 1 ? "Who sent this?" : `Which ${k} sent this?`),
    coming: (k: number) => (k === 1 ? "One of you sent it." : `${k} of you sent it.`),
    empty: "empty slot",
    slots: "True senders",
    senders: "Who it could be",
    players: "Players",
    ranking: "Ranking",
    voted: (done: number, all: number) => `${done} of ${all} have voted`,
    hasVoted: "has voted",
    notVoted: "has not voted",
    later: "from the next reel on",
    away: "away",
    votedFor: (names: readonly string[]) => `voted for ${all(names, 0)}`,
    noVote: "no idea",
    force: "Close the vote",
    forcing: "The vote closes",
    left: (seconds: number) => `${seconds} seconds left`,
    skip: "Go on",
    steps: { votes: "The votes", grow: "And it was…", slots: "It was…", judge: "Right or wrong?", scores: "Points" },
    it: (names: readonly string[]) => `It was ${all(names, 0)}.`,
    right: (names: readonly string[], more: number) => (names.length === 0 ? "Nobody knew." : `Right: ${all(names, more)}.`),
    gained: (points: number) => `plus ${points}`,
  },

  recap: {
    title: (round: number) => `After round ${round}`,
    round: "This round",
    total: "Total",
    next: "Next round",
    final: "To the podium",
    up: (places: number) => `up ${places}`,
    down: (places: number) => `down ${places}`,
  },

  over: {
    title: "And the winner is…",
    winners: (names: readonly string[], more: number) => (names.length === 1 ? `${names[0]} wins!` : `${all(names, more)} win!`),
    podium: "Podium",
    all: "All ranks",
    awards: "Awards",
    again: "Play again with the same setup",
    rank: (rank: number) => `rank ${rank}`,
  },

  close: {
    title: "Close the game?",
    text: "The game ends for everyone at once, and nothing of it is kept: no scores, no pictures, no reels.",
    yes: "Close for everyone",
    no: "Keep playing",
  },

  ended: { another: "Set up another game", home: "To the start", retry: "Try again" },

  notMaster: {
    title: "This browser is not the big screen",
    text: "Only the browser that set the game up holds its key. Open the big screen there, or join from here as a player.",
    join: "Join as a player",
  },

  keys: {
    title: "Keys of the big screen",
    next: "the next thing",
    open: "open the reel",
    force: "close the vote in ten seconds",
    fullscreen: "full screen",
    help: "this page",
    off: "Keys are switched off in your preferences.",
  },

  said: {
    vote: "The vote is open.",
    closing: "The vote closes in ten seconds.",
    over: (names: readonly string[]) => `The game is over. ${all(names, 0)} on top.`,
  },
};

export type TvWords = typeof en;
