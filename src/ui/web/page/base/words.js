// All words of the page, in one table: English, then Japanese. `{name}` is filled in; texts of others never are words.
import { signal } from "./view.js";
import { COMMAND, STATES, STORY } from "./words-more.js";
import { DEBATES } from "./words-debates.js";
import { SESSIONS } from "./words-sessions.js";

const SHELL = {
  "place.needs": ["Needs you", "あなた待ち"],
  "place.command": ["Command Center", "指示"],
  "place.command.short": ["Command", "指示"],
  "place.team": ["Team", "チーム"],
  "place.messages": ["Messages", "メッセージ"],
  "place.settings": ["Settings", "設定"],
  "place.more": ["More", "その他"],
  "lead.command": ["Say what is to be done, and see who has it.", "やることを書き、誰が持っているかを見ます。"],
  "lead.team": ["Who does what, for how long, and who waits for whom.", "誰が何を、どれだけの間していて、誰が誰を待っているか。"],
  "lead.team.many": ["{n} agents: what is well folds away.", "{n} エージェント。順調なものは畳まれます。"],
  "lead.messages": ["What was handed over, and what became of it.", "渡されたものと、その結果。"],
  "lead.message": ["One message: what happened, when, and how that is known.", "一つのメッセージ: 何が、いつ起き、なぜそう分かるか。"],
  "lead.settings": ["Of this browser alone.", "このブラウザだけの設定です。"],
  "lead.needs.none": ["Nothing waits for you.", "あなたを待つものはありません。"],
  "lead.needs.one": ["One thing waits for you.", "1 件があなたを待っています。"],
  "lead.needs.many": ["{n} things wait for you. The one with the most behind it comes first.", "{n} 件があなたを待っています。後ろに多くの作業があるものから並べます。"],
  "lead.as-of": ["As it was at {at}, {ago} ago.", "{at} 時点({ago}前)の様子です。"],
  "skip": ["Skip to the content", "本文へ"],
  "pages": ["Pages", "ページ"],
  "glance": ["The team at a glance", "チームの概況"],
  "pulse.working": ["working", "作業中"],
  "pulse.waiting": ["waiting", "待機"],
  "pulse.needs": ["need you", "あなた待ち"],
  "pulse.failed": ["failed", "失敗"],
  "pulse.stuck": ["stuck", "停滞"],
  "daemon.live": ["daemon {pid}, live", "デーモン {pid}、接続中"],
  "daemon.none": ["no daemon", "デーモンなし"],
  "daemon.away": ["daemon away since {at}", "{at} からデーモン不在"],
  "daemon.opening": ["connecting", "接続しています"],
  "looks-only": ["This page may look, and change nothing.", "このページは見るだけで、何も変えられません。"],
  "looks-only.cure": ["open the address that `tasuki web` prints", "`tasuki web` が表示するアドレスを開いてください"],
  "looks-only.tag": ["looks only", "閲覧のみ"],
  "hold": ["Hold all typing", "入力をすべて止める"],
  "hold.off": ["Let typing go on", "入力を再開する"],
  "find": ["find", "検索"],
  "keys": ["keys", "キー"],
  "colours": ["Colours: {now}", "配色: {now}"],
  "colours.system": ["as the system", "システムに合わせる"],
  "colours.light": ["light", "明るい"],
  "colours.dark": ["dark", "暗い"],
  "open.n": ["{n} open", "{n} 件"],
  "away.title": ["The daemon is away since {at}. Nothing is lost.", "{at} からデーモンがいません。失われたものはありません。"],
  "away.text": ["What the agents do cannot be seen from here. This page tries again by itself (next in {s} s).", "エージェントの様子はここからは見えません。このページは自動で再接続します(次は {s} 秒後)。"],
  "away.first": ["The daemon does not answer", "デーモンが応答しません"],
  "try-now": ["Try now", "今すぐ試す"],
  "halted.title": ["All typing is held since {at}", "{at} から入力はすべて止まっています"],
  "hold.what": ["Agents end the turn they have, and get nothing new.", "今のターンを終え、新しいものは受け取りません。"],
  "halted.text": ["Agents end the turn they have. After that, {open} open tasks wait; {n} of them are queued.", "エージェントは今のターンを終えます。その後は未完了の {open} 件が待ちます（うち順番待ち {n} 件）。"],
  "halted.done": ["Nothing is typed any more.", "入力を止めました。"],
  "halted.over": ["Typing goes on.", "入力を再開しました。"],
  "halted.go.text": ["What is queued is typed to its agents again, as each of them is free.", "順番待ちのものを、手の空いたエージェントから順に入力します。"],
  "halted.go": ["Let go on", "再開する"],
  "tmux.lost": ["The tmux server is gone. Its agents are started again.", "tmux サーバーがなくなりました。エージェントは起動し直されます。"],
  "locked.title": ["This tab has no token", "このタブにはトークンがありません"],
  "locked.refused": ["The token of this tab was refused: it is wrong, or not taken any more", "このタブのトークンは拒まれました。間違っているか、無効になっています"],
  "locked.text": ["The page shows your agents' screens and can answer for you, so it opens only with a token. Print its address in the workspace, and open it here.", "このページはエージェントの画面を見せ、あなたに代わって答えられるので、トークンでのみ開きます。ワークスペースで次を実行し、表示されたアドレスを開いてください。"],
  "stranger.title": ["The token of this tab is not known here", "このタブのトークンはここでは通用しません"],
  "stranger.text": ["What answers at this address does not know this tab's token, so the token was not sent. The tokens were made anew, or another program has taken the port. This page tries again by itself. Where it stays so, open it anew.", "このアドレスで応答しているものは、このタブのトークンを知りません。トークンは送っていません。トークンが作り直されたか、別のプログラムがポートを使っています。このページは自動で再接続します。変わらなければ、開き直してください。"],
  "copy": ["Copy", "コピー"],
  "copy.of": ["Copy: {text}", "コピー: {text}"],
  "copied": ["Copied", "コピーしました"],
  "answer.last": ["What was done last", "直前の結果"],
  "stop.mark": [".", "。"],
  "cancel": ["Leave it", "やめる"],
  "sure": ["Really?", "本当に?"],
  "close": ["Close", "閉じる"],
  "new.n": ["{n} new", "新着 {n} 件"],
  "order.new": ["The order has changed", "順序が変わりました"],
  "loading": ["Loading", "読み込み中"],
  "astray.place": ["There is no place “{what}” on this page", "このページに「{what}」という場所はありません"],
  "astray.agent": ["No agent is called “{what}”", "「{what}」というエージェントはいません"],
  "astray.need": ["Nothing waits for you under “{what}”", "「{what}」であなたを待つものはありません"],
  "error.load": ["It could not be read", "読み込めませんでした"],
  "again": ["Try again", "もう一度"],
  "you": ["you", "あなた"],
  "You": ["You", "あなた"],
  "for": ["for {age}", "{age}前から"],
  "ago": ["{age} ago", "{age}前"],
  "set.theme": ["Colours", "配色"],
  "set.language": ["Language", "言語"],
  "set.language.auto": ["as the browser", "ブラウザに合わせる"],
  "set.keys": ["Keys", "キー操作"],
  "set.keys.on": ["Single keys do things (see ?)", "一文字のキーで操作する(? で一覧)"],
  "set.about": ["About", "情報"],
  "help.title": ["Keys", "キー操作"],
  "help.text": ["They are off in text fields and while an input method composes.", "入力欄と変換中は無効です。"],
  "help.off": ["They are switched off in the settings.", "設定で無効になっています。"],
  "key.places": ["needs, command, team, messages, sessions, debates", "あなた待ち・指示・チーム・メッセージ・セッション・討論"],
  "key.choose": ["choose", "選ぶ"],
  "key.open": ["open", "開く"],
  "key.back": ["back", "戻る"],
  "key.new": ["new task", "新しいタスク"],
  "key.hand": ["hand over", "渡す"],
  "key.find": ["find, filter", "検索・絞り込み"],
  "key.follow": ["follow on or off", "追跡の切り替え"],
  "key.answer": ["answer what is asked", "質問に答える"],
  "key.story": ["story (why)", "経緯"],
  "key.log": ["the log of the team", "チームの記録"],
  "key.screen": ["screen", "画面"],
  "key.explain": ["how its screen is read; in a session, another text for a task", "画面の読み取り方。セッションではタスクの文を変える"],
  "key.retry": ["retry", "再試行"],
  "key.merge": ["merge the branches of a session", "セッションのブランチをまとめる"],
  "key.dismiss": ["dismiss, count as read", "片付ける・既読にする"],
  "key.carry": ["carry out the plan of a debate (asks)", "討論の計画を実行する(確認あり)"],
  "key.off": ["call off (asks)", "取り消す(確認あり)"],
  "key.restart": ["restart or start the agent (restart asks)", "エージェントを再起動・起動する(再起動は確認あり)"],
  "key.hold": ["hold all typing; let go on (asks)", "入力を止める・再開する(確認あり)"],
  "key.help": ["this list", "この一覧"],
};

const TABLE = { ...SHELL, ...STATES, ...COMMAND, ...STORY, ...SESSIONS, ...DEBATES };

export const LANGUAGES = ["en", "ja"];
export const language = signal("en");

/** The words for a key in the chosen language. */
export function t(key, values) {
  const index = LANGUAGES.indexOf(language.value);
  const text = TABLE[key]?.[index] ?? TABLE[key]?.[0] ?? key;
  if (!values) return text;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** `key.one` for 1, else `key.many`. */
export const plural = (key, n, values) => t(`${key}.${n === 1 ? "one" : "many"}`, { n, ...values });

export const has = (key) => key in TABLE;
export const table = () => TABLE;
