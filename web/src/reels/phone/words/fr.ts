// The phone's page in French.

import type { PhoneWords } from "./en.js";

const place = (rank: number, of: number) => (rank === 1 ? `Vous êtes en tête sur ${of}` : `Vous êtes ${rank}e sur ${of}`);

export const fr: PhoneWords = {
  entering: "On entre…",
  tv: "Grand écran",
  tvHint: "Cette partie est la vôtre : le grand écran est ici.",
  you: "vous",
  line: { gone: "Pas de connexion.", kept: "Pas de connexion. Votre place est gardée." },

  seats: {
    title: "Qui êtes-vous ?",
    lead: "Touchez votre nom.",
    late: "La partie a commencé. Prenez une place : vous votez dès le prochain reel.",
    list: "Places",
    taken: "prise",
    take: (name) => `Je suis ${name}`,
    missing: "Pas dans la liste ? Demandez une place sur le grand écran.",
    none: "Toutes les places sont prises. Demandez-en une de plus sur le grand écran.",
  },

  lost: {
    deactivated: (name) => `Le grand écran a retiré ${name ? `la place ${name}` : "votre place"} du jeu. Choisissez-en une autre.`,
    released: (name) => `Le grand écran a libéré votre place${name ? ` ${name}` : ""}. Reprenez-la, ou choisissez-en une autre.`,
    reset: () => "Le grand écran a libéré toutes les places. Reprenez la vôtre.",
    deleted: (name) => `${name ? `La place ${name}` : "Votre place"} n’existe plus dans cette partie. Choisissez-en une autre.`,
  },

  lobby: {
    title: (name) => `Vous y êtes, ${name} !`,
    wait: "La partie démarre sur le grand écran.",
    here: (n, all) => (n > 1 ? `${n} places sur ${all} sont prises` : `${n} place sur ${all} est prise`),
    who: "Qui est là",
    notYet: "pas encore là",
    gone: "hors ligne",
    face: "Mettez votre tête",
  },

  me: {
    open: "Vous : nom, tête, place",
    title: "Vous",
    name: "Votre nom dans cette partie",
    rename: "Changer",
    renamed: "Votre nom est changé.",
    face: "Votre tête",
    camera: "Photo",
    draw: "Dessin",
    remove: "Retirer l’image",
    removed: "L’image est retirée.",
    kept: "Voilà votre nouvelle tête.",
    leave: "Quitter la place",
    leaveAsk: (name) => `Quitter la place ${name} ? D’autres pourront la prendre, avec ses points.`,
    leaveYes: "Quitter",
    leaveNo: "Rester",
    left: "Vous avez quitté votre place.",
  },

  camera: {
    title: "Souriez !",
    label: "Ce que voit la caméra",
    take: "Prendre la photo",
    again: "Refaire",
    use: "C’est moi",
    opening: "Ouverture de la caméra…",
    photo: "Prendre une photo",
    file: "Choisir une photo",
    refused: "La caméra a été refusée. Autorisez-la pour cette page dans les réglages du navigateur, ou choisissez une photo, ou dessinez-vous.",
    missing: "Aucune caméra trouvée. Choisissez une photo, ou dessinez-vous.",
    busy: "Une autre application utilise la caméra. Fermez-la et réessayez, ou choisissez une photo.",
    insecure: "Le navigateur n’ouvre la caméra que sur les pages sécurisées (https). Une photo marche ici aussi.",
    notPicture: "Ce navigateur ne sait pas lire cette image.",
    cannot: "Ce navigateur n’a pas pu en faire une petite image. Essayez-en une autre, ou dessinez.",
    preview: "Votre image",
  },

  draw: {
    title: "Dessinez-vous",
    label: "Feuille où dessiner au doigt ou à la souris",
    colours: "Couleurs",
    colour: { ink: "noir", red: "rouge", orange: "orange", yellow: "jaune", green: "vert", blue: "bleu", violet: "violet", white: "blanc" },
    thick: "Trait épais",
    paper: "Autre papier",
    undo: "Annuler",
    clear: "Effacer",
    use: "C’est moi",
  },

  idle: {
    title: "Les yeux sur le grand écran !",
    next: "Le prochain reel arrive.",
    first: "C’est parti : le premier reel arrive.",
    where: (item, items, round, rounds) => `Reel ${item} sur ${items} · manche ${round} sur ${rounds}`,
    gain: (n) => `Vous gagnez ${n} point${n > 1 ? "s" : ""}`,
    none: "Rien cette fois",
    place,
  },

  vote: {
    one: "Choisissez une personne",
    upTo: (k) => `${k} personnes l’ont envoyé : ${k} noms au plus`,
    chosen: (n, k) => `${n} sur ${k}`,
    full: (k) => `Vous en avez choisi ${k}. Retirez un nom pour en choisir un autre.`,
    choices: "Qui cela peut-il être ?",
    filter: "Trouver un nom",
    nobody: "Ce nom n’est pas dans la liste.",
    noIdea: "Aucune idée",
    noIdeaHint: "Un vote pour personne. Il ne coûte rien, et les autres n’ont pas à vous attendre.",
    reel: "Ouvrir le reel sur ce téléphone",
    left: (s) => `Encore ${s} seconde${s > 1 ? "s" : ""}`,
    forced: "Dernière chance !",
    voted: (n, all) => `${n} sur ${all} ${n > 1 ? "ont" : "a"} voté`,
    sent: "Envoyé. Modifiable jusqu’à la fin.",
    sentNone: "Envoyé : aucune idée. Modifiable jusqu’à la fin.",
    sending: "Envoi…",
    unsent: "Pas encore envoyé : en attente du réseau.",
    open: "Touchez un nom.",
    draft: (more) => `Pas encore envoyé : encore ${more}, ou envoyez.`,
    send: (n) => (n > 1 ? `Envoyer ces ${n} noms` : "Envoyer ce nom"),
    late: "Trop tard : le vote s’est terminé avant l’arrivée de votre dernier choix.",
    lateNone: "Trop tard : le vote s’est terminé avant l’arrivée de votre choix.",
    unsure: "Votre dernier choix n’est peut-être pas arrivé avant la fin du vote.",
  },

  next: {
    title: "Encore un instant",
    text: "Vous votez dès le prochain reel. En attendant, devinez avec les autres sur le grand écran !",
  },

  reveal: {
    title: "Regardez le grand écran !",
    text: "Qui était-ce ? La réponse est là-haut.",
    chose: "Vous avez dit",
    noIdea: "aucune idée",
    none: "Vous n’avez pas voté pour celui-ci.",
  },

  recap: {
    title: (round) => `Manche ${round} terminée`,
    got: (n) => `${n > 0 ? "+" : ""}${n} dans cette manche`,
    lastReel: (n) => `dont +${n} avec le dernier reel`,
    ranking: "Classement",
    next: "La manche suivante démarre sur le grand écran.",
    last: "C’était la dernière manche. Le podium arrive sur le grand écran !",
  },

  over: {
    title: "C’est fini !",
    won: "Vous avez gagné !",
    shared: "Première place partagée !",
    place,
    ranking: "Classement final",
    awards: "Récompenses",
    again: "Rejouer",
    setUp: "Préparer une partie",
    againHint: "La prochaine partie se prépare sur le grand écran ; rejoignez-la avec son nouveau code.",
    newCode: "Code de la prochaine partie",
  },

  reactions: { label: "Réagir", say: (emoji) => `Réagir avec ${emoji}`, slow: "Doucement ! Trois par seconde suffisent.", unheard: "Pas de connexion : personne ne l’a vu." },

  ended: {
    code: "Un autre code",
    codeHint: "8 lettres et chiffres",
    codeBad: "Un code a 8 lettres et chiffres, sans 0, O, 1 ni I.",
    go: "Rejoindre",
    home: "Vers l’accueil",
    back: "Réessayer",
  },

  old: {
    title: "Votre partie est terminée",
    text: (name, code) => `Vous jouiez sous le nom de ${name}. Le code ${code} est maintenant celui d’une nouvelle partie, qui ne vous connaît pas encore.`,
    join: "Rejoindre la nouvelle partie",
  },

  said: {
    vote: (k) => (k === 1 ? "Votez : qui a envoyé ce reel ? Choisissez une personne." : `Votez : qui a envoyé ce reel ? Choisissez-en jusqu’à ${k}.`),
    reveal: "Le vote est terminé. Regardez le grand écran.",
  },
};
