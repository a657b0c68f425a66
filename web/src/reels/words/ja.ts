// What the pages of the party game say alike, in Japanese.

import type { ReelsWords } from "./en.js";

export const ja: ReelsWords = {
  title: "このリール、送ったのは誰？",
  demo: (number) => `デモのリール ${number}`,

  refused: {
    taken_now: "ほかの人が先に取りました。その席は埋まっています。",
    inactive: "その席はゲームに参加していません。",
    device_already_has_player: "この端末にはもう席があります。",
    player_not_found: "その席はもうありません。",
    invalid_selection: "その人は送り主の候補にいません。",
    late: "時間切れです。投票は締め切られました。",
    too_many: "選べる人数を超えています。",
    not_in_vote: "今は投票するものがありません。",
    not_claimed: "まず席を選んでください。",
    not_expected_voter: "次のリールから投票できます。",
    not_in_phase: "今の場面ではできません。",
    conflict: "その名前は使われているか、ゲームが先に進みました。",
    forbidden: "大画面からだけできる操作です。",
    bad_request: "ここでは使えない内容です。",
    room_not_found: "そのゲームは見つかりません。",
  },

  ended: {
    deleted: ["ゲームは閉じられました", "大画面で全員分を終了しました。記録は残っていません。"],
    expired: ["ゲームは終了しました", "ゲームの期限は12時間です。時間が過ぎました。"],
    room_not_found: ["そのゲームは見つかりません", "コードの打ち間違いか、もう終わったゲームかもしれません。"],
    other: ["入れません", "サーバーがこのページを通しませんでした。"],
  },

  awards: {
    best_guesser: ["名探偵", (value) => `正解率 ${value}%`],
    fastest: ["最速の指", (value) => `平均 ${(value / 1000).toFixed(1)} 秒`],
    most_mysterious: ["謎の人物", (value) => `見抜いたのは ${value}% だけ`],
    open_book: ["わかりやすい人", (value) => `${value}% に見抜かれた`],
    usual_suspect: ["いつも疑われる人", (value) => `ぬれぎぬ ${value} 回`],
  },

  points: (points) => `${points} 点`,
  closing: (minutes) => `あと ${minutes} 分でゲームが終わります。12時間の期限です。`,
};
