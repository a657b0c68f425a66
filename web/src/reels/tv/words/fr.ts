// The words of the big screen, in French.

import type { TvWords } from "./en.js";

function all(names: readonly string[], more: number): string {
  if (more > 0) return `${names.join(", ")} et ${more} autres`;
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} et ${names.at(-1)}`;
}

export const fr: TvWords = {
  entering: "Les lumières s’éteignent…",
  ends: (minutes) => `Fin dans ${minutes} min`,
  menu: { close: "Fermer la partie", fullscreen: "Plein écran", help: "Touches", lobby: "Comment rejoindre, et places" },

  join: {
    scan: "Scannez, ou tapez",
    qr: "QR code de l’adresse pour rejoindre",
    code: "Code de la partie",
    also: "Vous jouez aussi ?",
    alsoLink: "Prendre une place dans un autre onglet",
  },

  lobby: {
    title: "Qui joue ?",
    taken: (taken, all) => `${taken} place${taken > 1 ? "s" : ""} prise${taken > 1 ? "s" : ""} sur ${all}`,
    free: "libre",
    here: "là",
    away: "absent",
    out: "hors jeu",
    change: "Modifier",
    add: "Ajouter un joueur",
    addHint: "Nom",
    addButton: "Ajouter",
    reset: "Libérer toutes les places",
    resetAsk: "Chacun devra reprendre une place. Libérer toutes les places ?",
    leaveOut: (n) => (n === 1 ? "Jouer sans la place libre" : `Jouer sans les ${n} places libres`),
    start: "Lancer la partie",
    few: (have) => (have === 0 ? "Personne n’est encore en jeu. Il faut être deux." : "Il faut être deux."),
    waiting: (names, more) => `On attend ${all(names, more)}.`,
    ready: "Tout le monde est là !",
  },

  late: {
    title: "Places",
    text: "Quelqu’un arrive en retard ? Remettez en jeu la place laissée de côté, ou ajoutez-en une. Quelqu’un a changé de téléphone ? Libérez la sienne, et il la reprend.",
  },

  seat: {
    name: "Nom",
    rename: "Renommer",
    deactivate: "Mettre hors jeu",
    activate: "Remettre en jeu",
    release: "Libérer la place",
    delete: "Supprimer la place",
    bound: "A envoyé des reels : un nouveau nom est aussi celui de l’expéditeur.",
    added: "Devine seulement.",
    pictureOff: "Enlever la photo",
  },

  item: {
    where: (reel, reels, round, rounds) => `Reel ${reel} sur ${reels} · manche ${round} sur ${rounds}`,
    open: "Ouvrir le reel",
    again: "Rouvrir",
    outside: "Le reel passe dans sa propre fenêtre.",
    next: "Reel suivant",
    lastNext: "Au bilan",
    who: (k) => (k === 1 ? "Qui a envoyé ça ?" : `Qui sont les ${k} à l’avoir envoyé ?`),
    coming: (k) => (k === 1 ? "C’est l’un de vous." : `${k} d’entre vous l’ont envoyé.`),
    empty: "case vide",
    slots: "Vrais expéditeurs",
    senders: "Qui ça pourrait être",
    players: "Joueurs",
    ranking: "Classement",
    voted: (done, all) => `${done} vote${done > 1 ? "s" : ""} sur ${all}`,
    hasVoted: "a voté",
    notVoted: "n’a pas voté",
    later: "dès le prochain reel",
    away: "absent",
    votedFor: (names) => `a voté pour ${all(names, 0)}`,
    noVote: "aucune idée",
    force: "Clore le vote",
    forcing: "Le vote se ferme",
    left: (seconds) => `encore ${seconds} seconde${seconds > 1 ? "s" : ""}`,
    skip: "Continuer",
    steps: { votes: "Les votes", grow: "Et c’était…", slots: "C’était…", judge: "Juste ou faux ?", scores: "Les points" },
    it: (names) => `C’était ${all(names, 0)}.`,
    right: (names, more) => (names.length === 0 ? "Personne n’a trouvé." : `Ont trouvé : ${all(names, more)}.`),
    gained: (points) => `plus ${points}`,
  },

  recap: {
    title: (round) => `Après la manche ${round}`,
    round: "Cette manche",
    total: "Total",
    next: "Manche suivante",
    final: "Au podium",
    up: (places) => `gagne ${places} place${places > 1 ? "s" : ""}`,
    down: (places) => `perd ${places} place${places > 1 ? "s" : ""}`,
  },

  over: {
    title: "Et la victoire revient à…",
    winners: (names, more) => (names.length === 1 ? `${names[0]} gagne !` : `${all(names, more)} gagnent !`),
    podium: "Podium",
    all: "Tout le classement",
    awards: "Récompenses",
    again: "Rejouer avec les mêmes réglages",
    rank: (rank) => `${rank}${rank === 1 ? "er" : "e"} rang`,
  },

  close: {
    title: "Fermer la partie ?",
    text: "La partie s’arrête aussitôt pour tout le monde, et rien n’en est gardé : ni scores, ni photos, ni reels.",
    yes: "Fermer pour tous",
    no: "Continuer à jouer",
  },

  ended: { another: "Préparer une autre partie", home: "À l’accueil", retry: "Réessayer" },

  notMaster: {
    title: "Ce navigateur n’est pas le grand écran",
    text: "Seul le navigateur qui a préparé la partie en a la clé. Ouvrez le grand écran là-bas, ou rejoignez la partie d’ici.",
    join: "Rejoindre comme joueur",
  },

  keys: {
    title: "Touches du grand écran",
    next: "la suite",
    open: "ouvrir le reel",
    force: "clore le vote dans dix secondes",
    fullscreen: "plein écran",
    help: "cette page",
    off: "Les touches sont désactivées dans vos préférences.",
  },

  said: {
    vote: "Le vote est ouvert.",
    closing: "Le vote se ferme dans dix secondes.",
    over: (names) => `La partie est finie. En tête : ${all(names, 0)}.`,
  },
};
