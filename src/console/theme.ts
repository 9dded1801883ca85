import { byId } from './dom.ts';

const PLACE = 'quotient:colours';
const COLOURS = ['system', 'light', 'dark'] as const;
type Colours = (typeof COLOURS)[number];

const isColours = (text: string | null): text is Colours => COLOURS.includes(text as Colours);

/** Sets the page's colours as they were chosen on this device, and lets them be chosen. */
export function openTheme() {
  const listeners: (() => void)[] = [];
  const select = byId('theme', HTMLSelectElement);

  function apply(colours: Colours): void {
    if (colours === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = colours;
    for (const listener of listeners) listener();
  }

  const stored = localStorage.getItem(PLACE);
  const remembered = isColours(stored) ? stored : 'system';
  select.value = remembered;
  apply(remembered);
  select.addEventListener('change', () => {
    const colours = isColours(select.value) ? select.value : 'system';
    localStorage.setItem(PLACE, colours);
    apply(colours);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    for (const listener of listeners) listener();
  });

  return {
    /** Whenever the colours are others. */
    onChange: (listener: () => void) => void listeners.push(listener),
    /** A colour of the style sheet, resolved. */
    colour: (name: `--${string}`) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(),
  };
}

export type Theme = ReturnType<typeof openTheme>;
