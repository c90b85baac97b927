// What this browser likes: colours, language, keys. Kept in its localStorage, and nowhere else.
import { effect, signal } from "./view.js";
import { LANGUAGES, language } from "./words.js";

const stored = (key) => {
  try {
    return localStorage.getItem(`tasuki-${key}`);
  } catch {
    return null;
  }
};

export const theme = signal(stored("theme") ?? "system");
export const chosenLanguage = signal(stored("language") ?? "auto");
export const keysOn = signal(stored("keys") !== "off");
/** Whether there is one column only (below 56.25 em: 900 px with letters of the usual size). */
export const narrow = signal(false);

/** How large the letters are that this browser is set to; 1 is usual. */
export const scale = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

const keep = (key, value) => {
  try {
    localStorage.setItem(`tasuki-${key}`, value);
  } catch {
    // A browser that keeps nothing shows the page all the same.
  }
};

export function startPrefs() {
  const small = matchMedia("(max-width: 56.25em)");
  const look = () => {
    narrow.value = small.matches;
  };
  small.addEventListener("change", look);
  look();
  effect(() => {
    keep("theme", theme.value);
    if (theme.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
  });
  effect(() => {
    keep("language", chosenLanguage.value);
    const own = navigator.languages?.map((tag) => tag.slice(0, 2)).find((tag) => LANGUAGES.includes(tag)) ?? "en";
    language.value = chosenLanguage.value === "auto" ? own : chosenLanguage.value;
    document.documentElement.lang = language.value;
  });
  effect(() => keep("keys", keysOn.value ? "on" : "off"));
}
