// ゲームの準備。

import type { SetupWords } from "./en.js";

export const ja: SetupWords = {
  lead: "グループチャットにたまったリールを大画面に映し、スマホを手に、だれが送ったのかを当てよう。",
  steps: ["チャットを読み込む", "スマホで参加", "だれかを当てる"],
  count: (n) => new Intl.NumberFormat("ja").format(n),
  reels: (n) => `リール${n}本`,
  names: (names) => names.join("、"),

  demo: {
    title: "チャットが手元になくても",
    text: "架空の友だちと小さなアニメで遊べるデモ。2ラウンド、ワンクリックで始まります。",
    friends: "友だちの人数",
    start: "デモで遊ぶ",
    starting: "友だちを呼んでいます…",
    gameTitle: "デモの夜",
    names: ["ひなた", "そうた", "みお", "れん", "さくら", "ゆうと", "あおい", "はると"],
  },

  import: {
    title: "チャットを読み込む",
    drop: "エクスポートをここにドロップ",
    dropNow: "手を離すと読み込みます",
    kinds: "届いた ZIP のままでも、中の message_1.json でも、複数まとめて読み込めます。アドレスと送信者の CSV や JSON のリストも使えます。",
    choose: "ファイルを選ぶ",
    more: "ファイルを追加",
    local: "読み込みはすべてこのブラウザの中で行われ、メッセージが外に出ることはありません。",
    reading: "読み込み中…",
    readingFile: (file) => `${file} を読み込み中`,
    cancel: "読み込みをやめる",
    cancelled: "中止しました。何も追加されていません。",
    failed: "ファイルを読み込めませんでした。",
    done: (accepted, files) => `${files}個のファイルからリール${accepted}本`,
    nothing: "新しいリールはありませんでした。",
    paste: "リストを入力・貼り付け",
    pasteHint: "1行にひとつ：アドレス, 送信者",
    pasteExample: "https://www.instagram.com/reel/…, ひなた",
    pasteAdd: "リストを追加",
    pasteName: "入力したリスト",
    help: "Instagram からチャットを取り出すには？",
    helpSteps: [
      "Instagram の設定から「アカウントセンター」→「あなたの情報とアクセス許可」→「情報をエクスポート」を開きます。",
      "「メッセージ」だけを選び、期間は「全期間」、形式は JSON にします（HTML ではありません）。",
      "準備ができるとリンクが届きます（多くは1時間以内）。ZIP をダウンロードし、そのままここにドロップしてください。",
    ],
    forget: "最初からやり直す",
    forgetAsk: "ここで読み込んだものと変更したものは、すべて消えます。",
  },

  report: {
    title: "読み込んだもの",
    files: (n) => `${n}個のファイル`,
    accepted: (n) => `リール${n}本を採用`,
    left: (n) => `${n}件を除外`,
    each: "ファイルごとに見る",
    example: "例",
    reasons: {
      noLink: "リンクなし",
      otherSite: "別のサイト",
      notReel: "リールではない",
      badAddress: "正しいアドレスではない",
      noSender: "送信者なし",
      duplicate: "同じ人がもう一度送ったもの",
      tooMany: "保存できる数を超えたもの",
    },
    troubles: {
      unreadable: "このファイルは読めません。壊れているか、テキストではないようです。",
      notExport: "エクスポートされたチャットでも、アドレスと送信者のリストでもありません。",
      html: "このエクスポートは HTML 形式です。Instagram で JSON を選んで、もう一度申し込んでください。",
      noMessages: "この ZIP にはメッセージが入っていません。「メッセージ」を含めてエクスポートしてください。",
      tooLarge: "チャットにしては大きすぎるため、開きませんでした。",
      tooManyFiles: "一度に読み込むファイルが多すぎるため、これは開きませんでした。",
      encrypted: "この ZIP にはパスワードがかかっています。先に展開して、中のファイルをドロップしてください。",
      bomb: "この ZIP は開くと異常な大きさに膨らむため、読み込みませんでした。",
      badZip: "この ZIP は壊れているか、ダウンロードが途中で切れています。もう一度ダウンロードしてください。",
    },
  },

  chats: {
    title: "どのチャットで遊ぶ？",
    hint: "エクスポートには複数のチャットが入っています。チェックしたものだけを使います。",
    people: (n) => `${n}人`,
  },

  senders: {
    title: "送ったのはだれ？",
    hint: "記号だけが違う名前は、すでに同じ人としてまとめてあります。ほかにも同じ人がいれば、チェックしてまとめてください。",
    pick: (name) => `${name}を選ぶ`,
    merge: (n) => `この${n}人は同じ人`,
    mergeHint: "同じ人を2つ以上チェックしてください。",
    clear: "選択を解除",
    name: (name) => `${name}の名前`,
    plays: (name) => `${name}はゲームに参加`,
    off: "不参加",
    also: "表記",
    split: (spelling) => `「${spelling}」は別の人`,
    undo: "元に戻す",
    merged: (name) => `ひとりにまとめました：${name}`,
    undone: "元に戻しました。",
    silent: "チャットにいるけれど、リールを送っていない人。当てる側の席を用意しますか？",
  },

  rounds: {
    title: "ラウンド",
    hint: "どのラウンドでも、全員が一度ずつ正解になります。",
    count: "ラウンド数",
    fewer: "ラウンドを減らす",
    more: "ラウンドを増やす",
    limitSenders: (max, names) => (max === 0 ? `まだ1ラウンドも作れません。${names}だけが送ったリールが足りません。` : `最大${max}ラウンド：${names}の使えるリールがこれ以上ありません。`),
    limitRounds: (max) => `1回のゲームは最大${max}ラウンドです。`,
    limitItems: (max) => `最大${max}ラウンド：1回のゲームで使えるリールは1000本までです。`,
    leaveOut: (names) => `${names}を抜きにして遊ぶ`,
    manyNames: (names, more) => `${names}ほか${more}人`,
    seed: "シード",
    seedHint: "同じシードなら、同じラウンドになります。",
    otherSeed: "別のシード",
    played: (n) => `すでに遊んだリール${n}本を除く`,
    preview: (n, reelCount) => `プレビュー：${n}ラウンド・リール${reelCount}本`,
    spoilers: "答えを表示する（ネタバレ！）",
    round: (n) => `ラウンド${n}`,
    reel: (n) => `リール${n}`,
    hidden: "ひみつ",
    by: (n) => `送信者${n}人`,
    allRounds: (n) => `${n}ラウンドすべてを表示`,
  },

  options: {
    title: "今夜のゲーム",
    name: "タイトル",
    namePlaceholder: "金曜の夜",
    timer: "投票時間",
    timers: { off: "制限なし", 15: "15秒", 30: "30秒", 60: "60秒" },
    extras: "追加の席",
    extrasHint: "リールは送っていないけれど、当てるのに参加する人のために。",
    extraName: "名前",
    add: "追加",
    remove: (name) => `${name}の席を取り消す`,
  },

  summary: {
    title: "送信される内容",
    senders: (n) => `送信者${n}人の名前とリールの数`,
    seats: (n) => `${n}席`,
    items: (n, inRounds) => `${inRounds}ラウンド分のアドレス${n}件と、その送信者`,
    timer: (seconds) => `投票時間${seconds}秒`,
    named: (title) => `タイトル「${title}」`,
    stays: "ここに残るもの：すべてのメッセージと日時、ほかの人の名前、ほかのリール。",
    exact: "送信内容をそのまま見る（ネタバレ！）",
    ends: "ゲームは12時間で終わり、すべて消去されます。",
    create: "大画面を開く",
    creating: "準備しています…",
  },

  unkept: "量が多すぎてブラウザに保存できません。再読み込みすると、もう一度ファイルが必要になります。",

  problem(problem) {
    switch (problem.why) {
      case "fewSenders": return "送信者が2人以上必要です。1人だけでは当てるものがありません。";
      case "noRounds": return "まだ1ラウンド分のリールがありません。";
      case "titleLong": return "タイトルが40文字を超えています。";
      case "tooLarge": return "1回のゲームには多すぎます。ラウンドを減らしてください。";
      case "urlLong": return "長すぎるアドレスがあります。";
      case "manySenders": return `送信者は${problem.max}人までですが、${problem.count}人います。何人か不参加にしてください。`;
      case "manyPlayers": return `席は${problem.max}席までですが、${problem.count}席あります。`;
      case "manyRounds": return `ラウンドは${problem.max}までですが、${problem.count}あります。`;
      case "manyItems": return `リールは${problem.max}本までですが、${problem.count}本あります。ラウンドを減らしてください。`;
      case "sameName": return `「${problem.name}」という名前が2人います。名前を変えるか、ひとりにまとめてください。`;
      case "nameEmpty": return "名前のない人がいます。";
      case "nameLong": return `「${problem.name}」は40文字を超えています。`;
    }
  },
};
