import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A view in the navigation. `icon` is the path of its icon, in a square of 16. */
export type Linked = { name: string; title: string; href: string; icon: string };

const logo = () => document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href;

type BarProps = {
  home: readonly [href: string, label: string];
  /** Empty before the sign-in. */
  views: readonly Linked[];
  current: string;
  children: ComponentChildren;
};

/** The navigation: a side bar on large screens, the top of the page on small ones. */
export const Bar = ({ home: [href, label], views, current, children }: BarProps) => (
  <>
    <button type="button" class="skip" onClick={() => document.querySelector('main')?.focus()}>
      Skip to the content
    </button>
    <header class="bar">
      <a class="brand" href={href} aria-label={label}>
        <img src={logo()} alt="" width="24" height="24" />
        <span>Quotient</span>
      </a>
      {views.length > 0 && (
        <nav class="views" aria-label="Views">
          {views.map(({ name, title, href, icon }) => (
            <a key={name} href={href} aria-current={name === current ? 'page' : undefined}>
              <svg viewBox="0 0 16 16" aria-hidden="true">
                <path d={icon} />
              </svg>
              {title}
            </a>
          ))}
        </nav>
      )}
      <div class="bar-end">{children}</div>
    </header>
  </>
);

const THEMES = ['system', 'light', 'dark'] as const;

/** `theme.js` handles the choice. */
export const ThemeChoice = () => (
  <label class="theme">
    <span class="unseen">Theme</span>
    <select id="theme" autocomplete="off">
      {THEMES.map((theme) => (
        <option key={theme} value={theme} selected={theme === document.documentElement.dataset.theme}>
          {`${theme[0]?.toUpperCase()}${theme.slice(1)} theme`}
        </option>
      ))}
    </select>
  </label>
);

/** Moves the focus to the title when `key` changes, but not at the first key. Until it is known, `key` is undefined. */
export function useFocusOnMove(key: string | undefined, onMove?: () => void): void {
  const shown = useRef(key);
  useLayoutEffect(() => {
    const { current } = shown;
    if (current === key) return;
    shown.current = key;
    if (current === undefined) return;
    onMove?.();
    document.querySelector<HTMLElement>('main h1:not([hidden] *)')?.focus();
    scrollTo(0, 0);
  }, [key]);
}
