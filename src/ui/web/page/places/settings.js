// Settings of this browser, and on small screens what the side bar has elsewhere.
import { html } from "../base/view.js";
import { t } from "../base/words.js";
import { chosenLanguage, keysOn, narrow, theme } from "../base/prefs.js";
import { link, workspace } from "../live/store.js";
import { acting, halt } from "../parts/act.js";
import { isHelpOpen } from "../parts/dialog.js";
import { Command, Icon, Tabs } from "../parts/small.js";

export function Settings() {
  const set = (signal) => (value) => {
    signal.value = value;
  };
  return html`<section class="card settings" aria-label=${t("place.settings")}>
    ${narrow.value && html`<div class="pad row wrap"><${Hold} /><button class="btn plain" type="button" onClick=${() => set(isHelpOpen)(true)}>${t("help.title")}</button></div><hr />`}<dl>
    <div><dt>${t("set.theme")}</dt><dd><${Tabs} label=${t("set.theme")} chosen=${theme.value} onChoose=${set(theme)} choices=${["system", "light", "dark"].map((name) => [name, t(`colours.${name}`)])} /></dd></div>
    <div><dt>${t("set.language")}</dt><dd><${Tabs} label=${t("set.language")} chosen=${chosenLanguage.value} onChoose=${set(chosenLanguage)} choices=${[["auto", t("set.language.auto")], ["en", "English"], ["ja", "日本語"]]} /></dd></div>
    <div><dt>${t("set.keys")}</dt><dd><label class="check"><input type="checkbox" checked=${keysOn.value} onChange=${(event) => set(keysOn)(event.target.checked)} />${t("set.keys.on")}</label></dd></div>
    <div><dt>${t("set.about")}</dt><dd class="stack">${workspace.value?.daemon && html`<p>tasuki ${workspace.value.daemon.version}</p>`}<${Command} line="tasuki web --print-url" /></dd></div></dl>
  </section>`;
}

/** Holds all typing; letting it go on asks. */
export function Hold() {
  const isHeld = Boolean(workspace.value?.halted_since);
  return html`<button class="btn" type="button" title=${t("hold.what")} ...${acting(link.value.state !== "live")} onClick=${() => halt(!isHeld)}><${Icon} name="halt" />${t(isHeld ? "hold.off" : "hold")}</button>${!isHeld && html`<small class="meta">${t("hold.what")}</small>`}`;
}
