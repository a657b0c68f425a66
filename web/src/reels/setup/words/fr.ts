// Préparer une partie, en français.

import type { SetupWords } from "./en.js";

const reels = (n: number) => (n > 1 ? `${n} reels` : `${n} reel`);
const rounds = (n: number) => (n > 1 ? `${n} manches` : `${n} manche`);

export const fr: SetupWords = {
  lead: "Votre groupe déborde de reels. Mettez-les sur le grand écran, sortez les téléphones, et devinez qui a envoyé quoi.",
  steps: ["Charger la discussion", "Rejoindre au téléphone", "Deviner qui"],
  count: (n) => new Intl.NumberFormat("fr").format(n),
  reels,
  names: (names) => new Intl.ListFormat("fr", { type: "conjunction" }).format(names),

  demo: {
    title: "Pas d’export sous la main ?",
    text: "Une démo avec des amis imaginaires et de petites scènes : deux manches, prêtes en un clic.",
    friends: "Amis autour de la table",
    start: "Jouer la démo",
    starting: "On invite les amis…",
    gameTitle: "Soirée démo",
    names: ["Camille", "Nico", "Inès", "Hugo", "Léa", "Malik", "Jeanne", "Théo"],
  },

  import: {
    title: "Charger votre discussion",
    drop: "Déposez l’export ici",
    dropNow: "Lâchez, et c’est lu",
    kinds: "Le ZIP tel quel, ou ses fichiers message_1.json, plusieurs à la fois. Une liste CSV ou JSON d’adresses et d’expéditeurs convient aussi.",
    choose: "Choisir des fichiers",
    more: "Ajouter des fichiers",
    local: "Tout est lu dans ce navigateur. Les messages n’en sortent jamais.",
    reading: "Lecture…",
    readingFile: (file) => `Lecture de ${file}`,
    cancel: "Arrêter la lecture",
    cancelled: "Arrêté. Rien n’a été ajouté.",
    failed: "Impossible de lire les fichiers.",
    done: (accepted, files) => `${reels(accepted)} dans ${files > 1 ? `${files} fichiers` : "1 fichier"}`,
    nothing: "Aucun nouveau reel là-dedans.",
    paste: "Saisir ou coller une liste",
    pasteHint: "Une ligne pour chacun : adresse, expéditeur",
    pasteExample: "https://www.instagram.com/reel/…, Camille",
    pasteAdd: "Ajouter la liste",
    pasteName: "Liste saisie",
    help: "Comment récupérer ma discussion sur Instagram ?",
    helpSteps: [
      "Dans Instagram, ouvrez Paramètres, puis Espace Comptes, « Vos informations et autorisations », « Exporter vos informations ».",
      "Choisissez seulement « Messages », depuis toujours, et le format JSON (pas HTML).",
      "Instagram vous envoie un lien quand c’est prêt, souvent dans l’heure. Téléchargez le ZIP et déposez-le ici tel quel.",
    ],
    forget: "Tout recommencer",
    forgetAsk: "Tout ce qui a été lu et modifié ici sera oublié.",
  },

  report: {
    title: "Ce qui a été lu",
    files: (n) => (n > 1 ? `${n} fichiers` : `${n} fichier`),
    accepted: (n) => `${reels(n)} ${n > 1 ? "retenus" : "retenu"}`,
    left: (n) => `${n} ${n > 1 ? "écartés" : "écarté"}`,
    each: "Fichier par fichier",
    example: "par exemple",
    reasons: {
      noLink: "sans lien",
      otherSite: "autre site",
      notReel: "pas un reel",
      badAddress: "adresse web invalide",
      noSender: "sans expéditeur",
      duplicate: "renvoyé par la même personne",
      tooMany: "plus que ce qui peut être gardé ici",
    },
    troubles: {
      unreadable: "Ce fichier est illisible. Il est peut-être abîmé, ou n’est pas du texte.",
      notExport: "Ce n’est ni une discussion exportée ni une liste d’adresses et d’expéditeurs.",
      html: "Cet export est au format HTML. Redemandez-le à Instagram en choisissant JSON.",
      noMessages: "Il n’y a pas de messages dans ce ZIP. Demandez un export avec « Messages ».",
      tooLarge: "Ce fichier est plus gros que n’importe quelle discussion. Il n’a pas été ouvert.",
      tooManyFiles: "Trop de fichiers à la fois. Celui-ci n’a pas été ouvert.",
      encrypted: "Ce ZIP a un mot de passe. Décompressez-le d’abord, puis déposez les fichiers.",
      bomb: "Une fois ouvert, ce ZIP enfle de façon absurde. Il a été mis de côté.",
      badZip: "Ce ZIP est abîmé ou le téléchargement s’est interrompu. Téléchargez-le de nouveau.",
    },
  },

  chats: {
    title: "Quelles discussions ?",
    hint: "L’export en contient plusieurs. Seules celles qui sont cochées sont jouées.",
    people: (n) => (n > 1 ? `${n} personnes` : `${n} personne`),
  },

  senders: {
    title: "Qui les a envoyés ?",
    hint: "Les noms qui ne diffèrent que par des signes sont déjà réunis. Cochez les personnes qui n’en font qu’une et réunissez-les.",
    pick: (name) => `Sélectionner ${name}`,
    merge: (n) => `Ces ${n} n’en font qu’une`,
    mergeHint: "Cochez deux personnes ou plus qui n’en font qu’une.",
    clear: "Tout décocher",
    name: (name) => `Nom de ${name}`,
    plays: (name) => `${name} est dans la partie`,
    off: "hors jeu",
    also: "écrit",
    split: (spelling) => `« ${spelling} », c’est quelqu’un d’autre`,
    undo: "Annuler",
    merged: (name) => `Désormais une seule personne : ${name}`,
    undone: "Annulé.",
    silent: "Dans la discussion, mais sans aucun reel. Une place pour deviner ?",
  },

  rounds: {
    title: "Manches",
    hint: "À chaque manche, tout le monde est la réponse exactement une fois.",
    count: "Nombre de manches",
    fewer: "Une manche de moins",
    more: "Une manche de plus",
    limitSenders: (max, names) => (max === 0 ? `Pas encore de manche possible : trop peu de reels propres à ${names}.` : `${rounds(max)} au plus : il ne reste pas d’autre reel utilisable de ${names}.`),
    limitRounds: (max) => `Une partie compte ${max} manches au plus.`,
    limitItems: (max) => `${rounds(max)} au plus : une partie contient 1000 reels.`,
    leaveOut: (names) => `Jouer sans ${names}`,
    manyNames: (names, more) => `${names} et ${more} ${more > 1 ? "autres" : "autre"}`,
    seed: "Graine",
    seedHint: "La même graine donne les mêmes manches.",
    otherSeed: "Autre graine",
    played: (n) => (n > 1 ? `Écarter les ${n} reels déjà joués` : "Écarter le reel déjà joué"),
    preview: (n, reelCount) => `Aperçu : ${rounds(n)}, ${reels(reelCount)}`,
    spoilers: "Montrer les réponses (divulgâchis !)",
    round: (n) => `Manche ${n}`,
    reel: (n) => `Reel ${n}`,
    hidden: "caché",
    by: (n) => (n > 1 ? `${n} expéditeurs` : `${n} expéditeur`),
    allRounds: (n) => `Montrer les ${n} manches`,
  },

  options: {
    title: "La soirée",
    name: "Comment s’appelle-t-elle ?",
    namePlaceholder: "Vendredi sur le canapé",
    timer: "Temps pour voter",
    timers: { off: "sans limite", 15: "15 s", 30: "30 s", 60: "60 s" },
    extras: "Places en plus",
    extrasHint: "Pour celles et ceux qui devinent sans avoir rien envoyé.",
    extraName: "Nom",
    add: "Ajouter",
    remove: (name) => `Retirer la place de ${name}`,
  },

  summary: {
    title: "Ce qui sera envoyé",
    senders: (n) => (n > 1 ? `${n} noms d’expéditeurs, avec leur nombre de reels` : `${n} nom d’expéditeur, avec son nombre de reels`),
    seats: (n) => (n > 1 ? `${n} places` : `${n} place`),
    items: (n, inRounds) => `${n > 1 ? `${n} adresses` : `${n} adresse`} en ${rounds(inRounds)}, avec qui les a envoyées`,
    timer: (seconds) => `${seconds} secondes pour voter`,
    named: (title) => `Le titre « ${title} »`,
    stays: "Reste ici : tous les messages, toutes les dates, le nom des autres et tous les autres reels.",
    exact: "Mot pour mot (divulgâchis !)",
    ends: "La partie vit douze heures, puis tout est effacé.",
    create: "Ouvrir le grand écran",
    creating: "On installe la scène…",
  },

  unkept: "C’est trop pour la mémoire du navigateur : après un rechargement, il faudra redonner les fichiers.",

  problem(problem) {
    switch (problem.why) {
      case "fewSenders": return "Il faut au moins deux expéditeurs ; avec un seul, il n’y a rien à deviner.";
      case "noRounds": return "Il n’y a pas encore assez de reels pour une manche.";
      case "titleLong": return "Le titre dépasse 40 caractères.";
      case "tooLarge": return "C’est trop pour une seule partie. Jouez moins de manches.";
      case "urlLong": return "Une des adresses est trop longue.";
      case "manySenders": return `Une partie accepte ${problem.max} expéditeurs, et il y en a ${problem.count}. Mettez-en quelques-uns hors jeu.`;
      case "manyPlayers": return `Une partie a ${problem.max} places, et il y en a ${problem.count}.`;
      case "manyRounds": return `Une partie accepte ${problem.max} manches, et il y en a ${problem.count}.`;
      case "manyItems": return `Une partie accepte ${problem.max} reels, et il y en a ${problem.count}. Jouez moins de manches.`;
      case "sameName": return `Deux personnes s’appellent « ${problem.name} ». Renommez-en une, ou réunissez-les.`;
      case "nameEmpty": return "Quelqu’un n’a pas de nom.";
      case "nameLong": return `« ${problem.name} » dépasse 40 caractères.`;
    }
  },
};
