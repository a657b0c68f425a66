// Setting a game up, in English; the measure of the other languages.

import type { Reason, Trouble } from "../found.js";
import type { Problem } from "../wish.js";

const reels = (n: number) => (n === 1 ? "1 reel" : `${n} reels`);
const rounds = (n: number) => (n === 1 ? "1 round" : `${n} rounds`);

export const en = {
  lead: "Your group chat is full of reels. Put them on the big screen, pick up your phones, and guess who sent which.",
  steps: ["Load the chat", "Join with phones", "Guess who"],
  count: (n: number) => new Intl.NumberFormat("en").format(n),
  reels,
  names: (names: readonly string[]) => new Intl.ListFormat("en", { type: "conjunction" }).format(names),

  demo: {
    title: "No chat at hand?",
    text: "A demo with invented friends and little scenes: two rounds, ready in one click.",
    friends: "Friends at the table",
    start: "Play the demo",
    starting: "Inviting the friends…",
    gameTitle: "Demo evening",
    names: ["Mia", "Leo", "Priya", "Tom", "Zoe", "Sam", "Ines", "Kofi"],
  },

  import: {
    title: "Load your chat",
    drop: "Drop the export here",
    dropNow: "Let go, and they are read",
    kinds: "The ZIP as it came, or its message_1.json files; several at once. A CSV or JSON list of addresses and senders works too.",
    choose: "Choose files",
    more: "Add more files",
    local: "Everything is read in this browser. Messages never leave it.",
    reading: "Reading…",
    readingFile: (file: string) => `Reading ${file}`,
    cancel: "Stop reading",
    cancelled: "Stopped. Nothing was added.",
    failed: "The files could not be read.",
    done: (accepted: number, files: number) => `${reels(accepted)} from ${files === 1 ? "1 file" : `${files} files`}`,
    nothing: "There was no new reel in there.",
    paste: "Type or paste a list",
    pasteHint: "One line for each: address, sender",
    pasteExample: "https://www.instagram.com/reel/…, Mia",
    pasteAdd: "Add the list",
    pasteName: "Typed list",
    help: "How do I get my chat out of Instagram?",
    helpSteps: [
      "In Instagram open Settings, then Accounts Centre, “Your information and permissions”, “Export your information”.",
      "Choose “Messages” only, all time, and the format JSON (not HTML).",
      "Instagram sends you a link when it is ready, often within the hour. Download the ZIP and drop it here as it is.",
    ],
    forget: "Start over",
    forgetAsk: "Everything that was read and changed here is forgotten.",
  },

  report: {
    title: "What was read",
    files: (n: number) => (n === 1 ? "1 file" : `${n} files`),
    accepted: (n: number) => `${reels(n)} taken`,
    left: (n: number) => `${n} left out`,
    each: "File by file",
    example: "for example",
    reasons: {
      noLink: "no link",
      otherSite: "another site",
      notReel: "no reel",
      badAddress: "no proper web address",
      noSender: "no sender",
      duplicate: "sent again by the same person",
      tooMany: "more than can be kept here",
    } satisfies Record<Reason, string>,
    troubles: {
      unreadable: "This file cannot be read. It may be damaged, or is no text.",
      notExport: "This is neither a chat of an export nor a list of addresses and senders.",
      html: "This export was made as HTML. Ask Instagram for it again and choose JSON.",
      noMessages: "There are no messages in this ZIP. Ask for an export with “Messages”.",
      tooLarge: "This file is larger than any chat. It was not opened.",
      tooManyFiles: "That are too many files at once. This one was not opened.",
      encrypted: "This ZIP has a password. Unpack it first and drop the files.",
      bomb: "This ZIP swells to an absurd size when opened. It was put aside.",
      badZip: "This ZIP is damaged or the download broke off. Download it again.",
    } satisfies Record<Trouble, string>,
  },

  chats: {
    title: "Which chats?",
    hint: "The export holds several. Only the ticked ones are played.",
    people: (n: number) => (n === 1 ? "1 person" : `${n} people`),
  },

  senders: {
    title: "Who sent them?",
    hint: "Names that differ only by signs are one person already. Tick people who are the same and join them.",
    pick: (name: string) => `Select ${name}`,
    merge: (n: number) => `These ${n} are one person`,
    mergeHint: "Tick two or more people who are really one.",
    clear: "Clear selection",
    name: (name: string) => `Name of ${name}`,
    plays: (name: string) => `${name} is in the game`,
    off: "not in the game",
    also: "written as",
    split: (spelling: string) => `“${spelling}” is somebody else`,
    undo: "Undo",
    merged: (name: string) => `Now one person: ${name}`,
    undone: "Undone.",
    silent: "In the chat, but sent no reel. A seat to guess from?",
  },

  rounds: {
    title: "Rounds",
    hint: "In each round everybody is the answer exactly once.",
    count: "Number of rounds",
    fewer: "One round fewer",
    more: "One round more",
    limitSenders: (max: number, names: string) => (max === 0 ? `There is no round yet: ${names} sent too few reels of their own.` : `At most ${rounds(max)}: ${names} sent no more reels that can be used.`),
    limitRounds: (max: number) => `At most ${max} rounds fit into a game.`,
    limitItems: (max: number) => `At most ${rounds(max)}: a game holds 1000 reels.`,
    leaveOut: (names: string) => `Play without ${names}`,
    manyNames: (names: string, more: number) => `${names} and ${more} more`,
    seed: "Seed",
    seedHint: "The same seed gives the same rounds.",
    otherSeed: "Other seed",
    played: (n: number) => `Leave out the ${reels(n)} already played`,
    preview: (n: number, reelCount: number) => `Preview: ${rounds(n)}, ${reels(reelCount)}`,
    spoilers: "Show the answers (spoilers!)",
    round: (n: number) => `Round ${n}`,
    reel: (n: number) => `Reel ${n}`,
    hidden: "hidden",
    by: (n: number) => (n === 1 ? "1 sender" : `${n} senders`),
    allRounds: (n: number) => `Show all ${n} rounds`,
  },

  options: {
    title: "The evening",
    name: "What is it called?",
    namePlaceholder: "Friday on the sofa",
    timer: "Time to vote",
    timers: { off: "no limit", 15: "15 s", 30: "30 s", 60: "60 s" } as Record<"off" | 15 | 30 | 60, string>,
    extras: "Extra seats",
    extrasHint: "For people who guess and sent nothing.",
    extraName: "Name",
    add: "Add",
    remove: (name: string) => `Remove the seat of ${name}`,
  },

  summary: {
    title: "What will be sent",
    senders: (n: number) => (n === 1 ? "1 name of a sender, with a count" : `${n} names of senders, with their counts`),
    seats: (n: number) => (n === 1 ? "1 seat" : `${n} seats`),
    items: (n: number, inRounds: number) => `${n === 1 ? "1 address" : `${n} addresses`} in ${rounds(inRounds)}, with who sent them`,
    timer: (seconds: number) => `${seconds} seconds to vote`,
    named: (title: string) => `The title “${title}”`,
    stays: "Stays here: every message, every date, everybody else’s name, and all other reels.",
    exact: "Word for word (spoilers!)",
    ends: "The game lives for twelve hours, then all of it is deleted.",
    create: "Open the big screen",
    creating: "Setting the stage…",
  },

  unkept: "This is too much for the browser to remember: after a reload the files are needed again.",

  problem(problem: Problem): string {
    switch (problem.why) {
      case "fewSenders": return "It takes at least two senders; with one there is nothing to guess.";
      case "noRounds": return "There are not enough reels for a round yet.";
      case "titleLong": return "The title has more than 40 characters.";
      case "tooLarge": return "That is too much for one game. Play fewer rounds.";
      case "urlLong": return "One of the addresses is too long.";
      case "manySenders": return `A game takes ${problem.max} senders, and these are ${problem.count}. Take some out of the game.`;
      case "manyPlayers": return `A game has ${problem.max} seats, and these are ${problem.count}.`;
      case "manyRounds": return `A game takes ${problem.max} rounds, and these are ${problem.count}.`;
      case "manyItems": return `A game takes ${problem.max} reels, and these are ${problem.count}. Play fewer rounds.`;
      case "sameName": return `Two people are called “${problem.name}”. Rename one, or join them.`;
      case "nameEmpty": return "Somebody has no name.";
      case "nameLong": return `“${problem.name}” has more than 40 characters.`;
    }
  },
};

export type SetupWords = typeof en;
