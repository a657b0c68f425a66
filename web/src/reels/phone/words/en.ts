// The phone's page in English, the measure of the other languages.

export const en = {
  entering: "Going in…",
  tv: "Big screen",
  tvHint: "You run this game: the big screen is here.",
  you: "you",
  line: { gone: "No connection.", kept: "No connection. Your seat is kept." },

  seats: {
    title: "Who are you?",
    lead: "Tap your name.",
    late: "The game has begun. Take a seat, and you vote from the next reel.",
    list: "Seats",
    taken: "taken",
    take: (name: string) => `I am ${name}`,
    missing: "Not in the list? Ask for a seat on the big screen.",
    none: "Every seat is taken. Ask for one more on the big screen.",
  },

  lost: {
    deactivated: (name) => `The big screen took ${name ? `the seat ${name}` : "your seat"} out of the game. Choose another one.`,
    released: (name) => `The big screen freed your seat${name ? ` ${name}` : ""}. Take it again, or choose another one.`,
    reset: () => "The big screen freed all seats. Choose yours again.",
    deleted: (name) => `${name ? `The seat ${name}` : "Your seat"} is no longer in the game. Choose another one.`,
  } as Record<"deactivated" | "released" | "reset" | "deleted", (name: string | null) => string>,

  lobby: {
    title: (name: string) => `You are in, ${name}!`,
    wait: "The game starts on the big screen.",
    here: (n: number, all: number) => `${n} of ${all} seats are taken`,
    who: "Who is here",
    notYet: "not here yet",
    gone: "away",
    face: "Make it your face",
  },

  me: {
    open: "You: name, face, seat",
    title: "You",
    name: "Your name in this game",
    rename: "Change",
    renamed: "Your name is changed.",
    face: "Your face",
    camera: "Camera",
    draw: "Draw",
    remove: "Take the picture away",
    removed: "The picture is gone.",
    kept: "That is your face now.",
    leave: "Leave the seat",
    leaveAsk: (name: string) => `Leave the seat ${name}? Others can take it, and its points stay with it.`,
    leaveYes: "Leave",
    leaveNo: "Stay",
    left: "You left the seat.",
  },

  camera: {
    title: "Smile!",
    label: "What the camera sees",
    take: "Take the picture",
    again: "Again",
    use: "That’s me",
    opening: "Opening the camera…",
    photo: "Take a photo",
    file: "Choose a photo",
    refused: "The camera was refused. Allow it in the browser’s settings for this page, or use a photo, or draw yourself.",
    missing: "No camera was found. Use a photo, or draw yourself.",
    busy: "Another app is using the camera. Close it and try again, or use a photo.",
    insecure: "The browser opens the camera only on secure pages (https). A photo works here too.",
    notPicture: "That is not a picture this browser can read.",
    cannot: "This browser could not make a small picture of it. Try another one, or draw.",
    preview: "Your picture",
  },

  draw: {
    title: "Draw yourself",
    label: "Paper to draw on with a finger or a mouse",
    colours: "Colours",
    colour: { ink: "black", red: "red", orange: "orange", yellow: "yellow", green: "green", blue: "blue", violet: "violet", white: "white" },
    thick: "Thick line",
    paper: "Another paper",
    undo: "Undo",
    clear: "Clear",
    use: "That’s me",
  },

  idle: {
    title: "Eyes on the big screen!",
    next: "The next reel is coming.",
    first: "Here we go: the first reel is coming.",
    where: (item: number, items: number, round: number, rounds: number) => `Reel ${item} of ${items} · round ${round} of ${rounds}`,
    gain: (n: number) => (n === 1 ? "You got 1 point" : `You got ${n} points`),
    none: "Nothing this time",
    place: (rank: number, of: number) => `You are ${ordinal(rank)} of ${of}`,
  },

  vote: {
    one: "Choose one",
    upTo: (k: number) => `${k} people sent it. Choose up to ${k}`,
    chosen: (n: number, k: number) => `${n} of ${k} chosen`,
    full: (k: number) => `You have chosen ${k}. Take one back to choose another.`,
    choices: "Who could it be?",
    filter: "Find a name",
    nobody: "No such name.",
    noIdea: "No idea",
    noIdeaHint: "A vote for nobody. It costs nothing, and the others need not wait for you.",
    reel: "Open the reel on this phone",
    left: (s: number) => (s === 1 ? "1 second left" : `${s} seconds left`),
    forced: "Last chance!",
    voted: (n: number, all: number) => `${n} of ${all} have voted`,
    sent: "Sent. Change it until the vote closes.",
    sentNone: "Sent: no idea. Change it until the vote closes.",
    sending: "Sending…",
    unsent: "Not sent yet: it waits for the network.",
    open: "Tap a name.",
    draft: (more: number) => `Not sent yet: choose ${more} more, or send.`,
    send: (n: number) => (n === 1 ? "Send this one" : `Send these ${n}`),
    late: "Too late: the vote was closed before your last choice arrived.",
    lateNone: "Too late: the vote was closed before your choice arrived.",
    unsure: "Your last choice may not have arrived before the vote was closed.",
  },

  next: {
    title: "Almost there",
    text: "You vote from the next reel. Guess along on the big screen!",
  },

  reveal: {
    title: "Look at the big screen!",
    text: "Who was it? The answer is up there.",
    chose: "You said",
    noIdea: "no idea",
    none: "You did not vote on this one.",
  },

  recap: {
    title: (round: number) => `Round ${round} is over`,
    got: (n: number) => `${n > 0 ? "+" : ""}${n} in this round`,
    lastReel: (n: number) => `+${n} of it with the last reel`,
    ranking: "Ranking",
    next: "The next round starts on the big screen.",
    last: "That was the last round. The winners come on the big screen!",
  },

  over: {
    title: "That’s it!",
    won: "You won!",
    shared: "You share the first place!",
    place: (rank: number, of: number) => `You are ${ordinal(rank)} of ${of}`,
    ranking: "Final ranking",
    awards: "Awards",
    again: "Play again",
    setUp: "Set up a game",
    againHint: "Whoever has the big screen sets up the next game; you join with its new code.",
    newCode: "Code of the next game",
  },

  reactions: { label: "React", say: (emoji: string) => `React with ${emoji}`, slow: "Easy! Three a second are enough.", unheard: "No connection: nobody saw that." },

  ended: {
    code: "Another code",
    codeHint: "8 letters and digits",
    codeBad: "A code has 8 letters and digits, without 0, O, 1 and I.",
    go: "Join",
    home: "To the start",
    back: "Try again",
  },

  old: {
    title: "Your game is over",
    text: (name: string, code: string) => `You played as ${name}. The code ${code} now belongs to a new game, which does not know you yet.`,
    join: "Join the new game",
  },

  said: {
    vote: (k: number) => (k === 1 ? "Vote now: who sent this reel? Choose one." : `Vote now: who sent this reel? Choose up to ${k}.`),
    reveal: "The vote is closed. Look at the big screen.",
  },
};

function ordinal(n: number): string {
  const teen = n % 100 >= 11 && n % 100 <= 13;
  const end = teen ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${n}${end}`;
}

export type PhoneWords = typeof en;
