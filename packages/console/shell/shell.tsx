import type { ReadonlySignal } from '@preact/signals';
import type { QuotientError } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { Isolated } from '../../pages/components/figures.tsx';
import { Bar, ThemeChoice } from '../../pages/components/shell.tsx';
import { count, fromNow, onDateAt } from '../../pages/format.ts';
import { askForRenewal } from '../account/dialogs.ts';
import type { AccountStore } from '../account/store.ts';
import { notice, page, pricesTitle, view } from '../core/store.ts';
import { ABOUT, LINKED } from './pages.ts';

/** Shown instead of the user's name, which a key without the `account` scope cannot read. */
const UNNAMED = 'Account';

function AccountLink({ account }: { account: AccountStore }) {
  const left = account.left();
  return (
    <a class="account-link" href="#/account">
      <Isolated>{account.user.value?.name ?? UNNAMED}</Isolated>{' '}
      <span class="soft">{left ? `${count(left.remaining)} left` : '…'}</span>
    </a>
  );
}

/** The navigation: the pages after the sign-in, and the pages of the service. */
export function Header({ account }: { account: AccountStore }) {
  const isSignedIn = view.value === 'pages';
  return (
    <Bar
      home={[isSignedIn ? '#/' : './', 'Quotient, home']}
      views={isSignedIn ? LINKED : []}
      current={isSignedIn ? page.value : ''}
    >
      {isSignedIn && <AccountLink account={account} />}
      <nav class="sites" aria-label="Service">
        <a href="docs">Docs</a>
        <a href="docs/problems">Problems</a>
        <a href="status">Status</a>
      </nav>
      <ThemeChoice />
    </Bar>
  );
}

/** The operator's announcement, and the notice of the last action. */
export const Messages = ({ announced }: { announced: ReadonlySignal<string> }) => (
  <>
    <p class="announcement" role="status" aria-label="Announcement">
      {announced.value}
    </p>
    <p class="notice" role="status" aria-label="Notice">
      {notice.value}
    </p>
  </>
);

/** The maximum time until the reset, in seconds: a period lasts at most a year. */
const MAX_RESET_S = 366 * 86_400;

type RemedyProps = { error: QuotientError; account: AccountStore; useOtherKey: () => void };

/** The next step for a problem with the key. */
export function Remedy({ error: { code, retryAfter }, account, useOtherKey }: RemedyProps) {
  if (code !== 'quota_exceeded') {
    const isExpired = code === 'api_key_expired';
    return (
      <button type="button" class="primary" onClick={isExpired ? () => askForRenewal(account) : useOtherKey}>
        {isExpired ? 'Renew key…' : 'Use another key'}
      </button>
    );
  }
  const now = serviceNow();
  const reset =
    account.usage()?.resetsAt ??
    (retryAfter === undefined ? undefined : new Date(now + Math.min(retryAfter, MAX_RESET_S) * 1000));
  const when = reset ? `Your allowance resets ${fromNow(reset, now)}, on ${onDateAt(reset)}. ` : '';
  return <p>{when}This page still shows the data that was loaded. Reading your usage is free.</p>;
}

/** The title of the document for the view or page. */
export function titleOfPage(): string {
  if (view.value !== 'pages') return 'Quotient';
  return page.value === 'prices' ? pricesTitle.value : `${ABOUT[page.value].title} · Quotient`;
}
