import { byId } from './dom.ts';

/** Where the choice is kept on this device. */
const STORAGE_KEY = 'quotient:colours';
const THEMES = ['system', 'light', 'dark'] as const;
type ThemeName = (typeof THEMES)[number];

const themeOf = (text: string | null): ThemeName => THEMES.find((name) => name === text) ?? 'system';

/** Applies the chosen theme, and lets the user choose another. */
export function openTheme() {
  const listeners: (() => void)[] = [];
  const select = byId('theme', HTMLSelectElement);
  const notify = () => {
    for (const listener of listeners) listener();
  };

  function apply(theme: ThemeName): void {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    notify();
  }

  select.value = themeOf(localStorage.getItem(STORAGE_KEY));
  apply(themeOf(select.value));
  select.addEventListener('change', () => {
    localStorage.setItem(STORAGE_KEY, select.value);
    apply(themeOf(select.value));
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', notify);

  return {
    /** Runs a listener whenever the colors change. */
    onChange: (listener: () => void) => void listeners.push(listener),
    /** The value of a color in the style sheet. */
    color: (name: `--${string}`) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(),
  };
}

export type Theme = ReturnType<typeof openTheme>;
