// The words of the big screen, in Japanese.

import type { TvWords } from "./en.js";

const all = (names: readonly string[], more: number) => names.join("、") + (more > 0 ? `ほか${more}人` : "");

export const ja: TvWords = {
  entering: "まもなく開演…",
  ends: (minutes) => `あと${minutes}分で終了`,
  menu: { close: "ゲームを閉じる", fullscreen: "全画面", help: "キー操作", lobby: "参加のしかたと席" },

  join: {
    scan: "読み取るか、入力して参加",
    qr: "参加用アドレスのQRコード",
    code: "ゲームのコード",
    also: "あなたも遊ぶなら",
    alsoLink: "別のタブで席につく",
  },

  lobby: {
    title: "誰が遊ぶ？",
    taken: (taken, all) => `${all}席のうち${taken}席が埋まりました`,
    free: "空席",
    here: "参加中",
    away: "離席中",
    out: "不参加",
    change: "変更",
    add: "プレイヤーを追加",
    addHint: "名前",
    addButton: "追加",
    reset: "全席を空ける",
    resetAsk: "全員が席を取り直すことになります。全席を空けますか？",
    leaveOut: (n) => `空席${n}つを除いて始める`,
    start: "ゲームを始める",
    few: (have) => (have === 0 ? "まだ誰もいません。2人から遊べます。" : "2人から遊べます。"),
    waiting: (names, more) => `${all(names, more)}を待っています。`,
    ready: "全員そろいました！",
  },

  late: {
    title: "席",
    text: "遅れて来た人は、外した席をゲームに入れるか、席を追加してください。端末を替えた人は、席を空ければまた座れます。",
  },

  seat: {
    name: "名前",
    rename: "名前を変える",
    deactivate: "ゲームから外す",
    activate: "ゲームに入れる",
    release: "席を空ける",
    delete: "席を削除する",
    bound: "リールの送り主です。名前を変えると送り主の名前も変わります。",
    added: "当てるだけの参加です。",
    pictureOff: "写真を消す",
  },

  item: {
    where: (reel, reels, round, rounds) => `リール ${reel}/${reels} · ラウンド ${round}/${rounds}`,
    open: "リールを開く",
    again: "もう一度開く",
    outside: "リールは別のウィンドウで再生中です。",
    next: "次のリール",
    lastNext: "まとめへ",
    who: (k) => (k === 1 ? "送ったのは誰？" : `送った${k}人は誰？`),
    coming: (k) => (k === 1 ? "この中の1人が送りました。" : `この中の${k}人が送りました。`),
    empty: "空き枠",
    slots: "本当の送り主",
    senders: "送り主の候補",
    players: "プレイヤー",
    ranking: "順位",
    voted: (done, all) => `${all}人中${done}人が投票`,
    hasVoted: "投票済み",
    notVoted: "未投票",
    later: "次のリールから",
    away: "離席中",
    votedFor: (names) => `${all(names, 0)}に投票`,
    noVote: "わからない",
    force: "投票を締め切る",
    forcing: "まもなく締め切り",
    left: (seconds) => `残り${seconds}秒`,
    skip: "進む",
    steps: { votes: "みんなの投票", grow: "送ったのは…", slots: "送ったのは…", judge: "当たった？", scores: "得点" },
    it: (names) => `送ったのは${all(names, 0)}でした。`,
    right: (names, more) => (names.length === 0 ? "誰も当てられませんでした。" : `正解：${all(names, more)}`),
    gained: (points) => `${points}点加算`,
  },

  recap: {
    title: (round) => `ラウンド${round}を終えて`,
    round: "このラウンド",
    total: "合計",
    next: "次のラウンド",
    final: "表彰台へ",
    up: (places) => `${places}つ上昇`,
    down: (places) => `${places}つ下降`,
  },

  over: {
    title: "優勝は…",
    winners: (names, more) => `${all(names, more)}の優勝！`,
    podium: "表彰台",
    all: "全員の順位",
    awards: "特別賞",
    again: "同じ設定でもう一度遊ぶ",
    rank: (rank) => `${rank}位`,
  },

  close: {
    title: "ゲームを閉じますか？",
    text: "全員のゲームがすぐに終わり、得点も写真もリールも残りません。",
    yes: "全員分を閉じる",
    no: "続ける",
  },

  ended: { another: "別のゲームを準備する", home: "最初のページへ", retry: "もう一度試す" },

  notMaster: {
    title: "このブラウザーは大画面ではありません",
    text: "鍵を持っているのは、ゲームを準備したブラウザーだけです。そちらで大画面を開くか、ここからプレイヤーとして参加してください。",
    join: "プレイヤーとして参加",
  },

  keys: {
    title: "大画面のキー操作",
    next: "次へ進む",
    open: "リールを開く",
    force: "10秒後に投票を締め切る",
    fullscreen: "全画面",
    help: "この説明",
    off: "キー操作は設定でオフになっています。",
  },

  said: {
    vote: "投票が始まりました。",
    closing: "10秒後に投票を締め切ります。",
    over: (names) => `ゲーム終了。1位は${all(names, 0)}です。`,
  },
};
