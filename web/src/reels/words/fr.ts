// What the pages of the party game say alike, in French.

import type { ReelsWords } from "./en.js";

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1).replace(".", ",");

export const fr: ReelsWords = {
  title: "Qui a envoyé ce reel ?",
  demo: (number) => `Reel de démonstration ${number}`,

  refused: {
    taken_now: "Quelqu’un a été plus rapide : cette place est prise.",
    inactive: "Cette place ne fait pas partie du jeu.",
    device_already_has_player: "Cet appareil a déjà une place.",
    player_not_found: "Cette place n’existe plus.",
    invalid_selection: "Ce choix ne fait pas partie des expéditeurs.",
    late: "Trop tard : le vote est clos.",
    too_many: "C’est plus d’expéditeurs que ce reel n’en a.",
    not_in_vote: "Il n’y a rien à voter pour l’instant.",
    not_claimed: "Prenez d’abord une place.",
    not_expected_voter: "Vous votez à partir du prochain reel.",
    not_in_phase: "Pas à ce moment de la partie.",
    conflict: "Ce nom est déjà pris, ou la partie a continué entre-temps.",
    forbidden: "Seul le grand écran peut faire cela.",
    bad_request: "Cela ne convient pas ici.",
    room_not_found: "Cette partie n’existe pas.",
  },

  ended: {
    deleted: ["La partie est fermée", "Le grand écran l’a terminée pour tout le monde. Rien n’en est gardé."],
    expired: ["La partie est terminée", "Une partie vit douze heures ; elles sont écoulées."],
    room_not_found: ["Cette partie n’existe pas", "Le code est peut-être mal recopié, ou la partie est terminée."],
    other: ["Vous ne pouvez pas entrer", "Le serveur n’a pas laissé entrer cette page."],
  },

  awards: {
    best_guesser: ["Meilleur flair", (value) => `${value} % de bonnes réponses`],
    fastest: ["Pouce le plus rapide", (value) => `${seconds(value)} s en moyenne`],
    most_mysterious: ["Grand mystère", (value) => `démasqué par ${value} % seulement`],
    open_book: ["Livre ouvert", (value) => `démasqué par ${value} %`],
    usual_suspect: ["Suspect habituel", (value) => (value === 1 ? "accusé à tort une fois" : `accusé à tort ${value} fois`)],
  },

  points: (points) => (points > 1 ? `${points} points` : `${points} point`),
  closing: (minutes) => (minutes <= 1 ? "La partie se termine dans une minute : les douze heures sont écoulées." : `La partie se termine dans ${minutes} minutes : les douze heures sont écoulées.`),
};
