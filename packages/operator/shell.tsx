/** A view in the navigation. */
export type Linked = { name: string; title: string };

/** The paths of the icons, in a square of 16. */
const ICONS: Readonly<Record<string, string>> = {
  overview: 'M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z',
  users: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c.5-3 2.7-4 5.5-4s5 1 5.5 4',
  tokens: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v6M6 6.5h3a1 1 0 0 1 0 3H6.5',
  sources: 'M2 4c0-2.7 12-2.7 12 0s-12 2.7-12 0zM2 4v8c0 2.7 12 2.7 12 0V4M2 8c0 2.7 12 2.7 12 0',
  messages: 'M2 3.5h12v9H2zM2 4l6 5 6-5',
  announcement: 'M2 6.5v3h2.5l6 3.5V3l-6 3.5zM13 6v4',
  audit: 'M3.5 2h9v12h-9zM6 5.5h4M6 8h4M6 10.5h2.5',
};

const icon = () => document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href;

type BarProps = { views: readonly Linked[]; current: string; isSignedIn: boolean; signOut: () => void };

/** The navigation: a side bar on large screens, the top of the page on small ones. */
export const Bar = ({ views, current, isSignedIn, signOut }: BarProps) => (
  <header class="bar">
    <a class="brand" href="#/overview" aria-label="Quotient, overview">
      <img src={icon()} alt="" width="24" height="24" />
      <span>Quotient</span>
    </a>
    {isSignedIn && (
      <nav class="pages" aria-label="Views">
        {views.map(({ name, title }) => (
          <a key={name} href={`#/${name}`} aria-current={name === current ? 'page' : undefined}>
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d={ICONS[name]} />
            </svg>
            {title}
          </a>
        ))}
      </nav>
    )}
    <div class="bar-end">
      <label class="theme">
        <span class="unseen">Theme</span>
        <select id="theme" autocomplete="off">
          <option value="system">System</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
      {isSignedIn && (
        <button type="button" class="account-button" onClick={signOut}>
          Sign out
        </button>
      )}
      <p class="soft">
        Times are in UTC. <a href="openapi.json">Operator API</a>
      </p>
    </div>
  </header>
);
