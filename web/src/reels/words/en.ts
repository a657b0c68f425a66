// What the pages of the party game say alike, in English; the measure of the other languages.

export const en = {
  title: "Who sent this reel?",

  demo: (number: number) => `Demo reel ${number}`,

  /** Why something was refused, by the game's own word for it. */
  refused: {
    taken_now: "Somebody was faster: that seat is taken.",
    inactive: "That seat is not in the game.",
    device_already_has_player: "This device already has a seat.",
    player_not_found: "That seat is no longer there.",
    invalid_selection: "That choice is not among the senders.",
    late: "Too late: the vote is closed.",
    too_many: "That is more senders than this reel has.",
    not_in_vote: "There is nothing to vote on right now.",
    not_claimed: "Take a seat first.",
    not_expected_voter: "You vote from the next reel on.",
    not_in_phase: "Not at this point of the game.",
    conflict: "That name is taken, or the game has moved on.",
    forbidden: "Only the big screen may do that.",
    bad_request: "That does not fit here.",
    room_not_found: "There is no such game.",
  },

  ended: {
    deleted: ["The game is closed", "The big screen ended it for everyone. Nothing of it is kept."],
    expired: ["The game has ended", "A game lives for twelve hours; these are over."],
    room_not_found: ["There is no such game", "The code may be mistyped, or the game has ended."],
    other: ["You cannot come in", "The server did not let this page in."],
  } as Record<"deleted" | "expired" | "room_not_found" | "other", [string, string]>,

  /** What each award is called, and what its number says. */
  awards: {
    best_guesser: ["Best guesser", (value: number) => `${value}% of the guesses right`],
    fastest: ["Fastest thumb", (value: number) => `${seconds(value)} s on average`],
    most_mysterious: ["Most mysterious", (value: number) => `found by only ${value}%`],
    open_book: ["Open book", (value: number) => `found by ${value}%`],
    usual_suspect: ["Usual suspect", (value: number) => (value === 1 ? "wrongly accused once" : `wrongly accused ${value} times`)],
  } as Record<AwardName, [string, (value: number) => string]>,

  points: (points: number) => (points === 1 ? "1 point" : `${points} points`),
  closing: (minutes: number) => (minutes <= 1 ? "The game ends in a minute: twelve hours are over." : `The game ends in ${minutes} minutes: twelve hours are over.`),
};

export type AwardName = "best_guesser" | "fastest" | "most_mysterious" | "open_book" | "usual_suspect";

export type ReelsWords = typeof en;

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}
