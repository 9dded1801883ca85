import { Bar, type Linked, ThemeChoice } from '../pages/components/shell.tsx';

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

const linkTo = ({ name, title }: Pick<Linked, 'name' | 'title'>): Linked => ({
  name,
  title,
  href: `#/${name}`,
  icon: ICONS[name] ?? '',
});

type Props = {
  views: readonly Pick<Linked, 'name' | 'title'>[];
  current: string;
  isSignedIn: boolean;
  signOut: () => void;
};

export const OperatorBar = ({ views, current, isSignedIn, signOut }: Props) => (
  <Bar home={['#/overview', 'Quotient, overview']} views={isSignedIn ? views.map(linkTo) : []} current={current}>
    <ThemeChoice />
    {isSignedIn && (
      <button type="button" class="account-button" onClick={signOut}>
        Sign out
      </button>
    )}
    <p class="soft">
      Times are in UTC. <a href="openapi.json">Operator API</a>
    </p>
  </Bar>
);
