/** The colors of the page, which a script of its own (`theme.js`) sets before the first paint and whenever another is chosen. */
export function openTheme() {
  const listeners: (() => void)[] = [];
  const notify = () => {
    for (const listener of listeners) listener();
  };
  new MutationObserver(notify).observe(document.documentElement, { attributeFilter: ['data-theme'] });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', notify);

  return {
    onChange: (listener: () => void) => void listeners.push(listener),
    color: (name: `--${string}`) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(),
  };
}

export type Theme = ReturnType<typeof openTheme>;
