import { batch, signal } from '@preact/signals';
import { isTemporary, toError } from '../pages/problem.ts';
import { endSession } from '../pages/session/end.ts';
import { askForReplacement } from './account/dialogs.ts';
import { createAccountStore } from './account/store.ts';
import { createSession } from './api/session.ts';
import { factsOf, openTheme, plansOf } from './core/facts.ts';
import {
  currency,
  ended,
  failures,
  isShown,
  notice,
  page,
  pricesTitle,
  questions,
  type ViewName,
  view,
} from './core/store.ts';
import { isMailLink, mailLinkIn, openEntrance } from './entrance/store.ts';
import { openKeyList } from './keys/store.ts';
import { createNoticesStore } from './notices/store.ts';
import { createPricesStore } from './prices/store.ts';
import { openAnnouncement } from './shell/announcement.ts';
import { createUsageStore } from './usage/store.ts';

/* The session, the stores of the views and pages, and what connects them. */

const DAMAGED_LINK = 'The link is incomplete. Open the whole link from the email.';
const session = createSession(new URL('.', location.href), { onChanged: showChanged, onEnded: endSession });
session.onAnswer(failures.onAnswer);
const { sendsMail, registration } = factsOf(document.documentElement);

export { sendsMail };
export const announced = openAnnouncement(session.anonymous);
/** Whether the page Prices has been opened. */
export const hasPrices = signal(false);
/** Changes if the pages must read their data again. */
export const generation = signal(0);

export const entrance = openEntrance(
  session,
  { sendsMail, registration, plans: plansOf(document.body) },
  failures.open(),
  {
    onKey(user) {
      const isReplaced = session.user !== undefined;
      session.continueAs(user);
      // The page may show the data of another user. A key that the browser does not store must not be lost.
      if (isReplaced && session.isUnsaved) session.reload();
      else showKeyCreated();
    },
    onSignedIn: showPages,
    onLinkLeft: () => (session.user ? showPages() : void resume()),
    onOtherKey: useOtherKey,
  },
);
export const keys = openKeyList({
  session,
  failures,
  questions,
  readUsage: (client, by) => account.readUsage(client, by),
  onOwnKeyRevoked: () => signOut('The key that you signed in with has been revoked.', { ofKey: true }),
  onReplace: () => askForReplacement(account),
});
const { access } = keys;
export const account = createAccountStore({
  session,
  failures,
  access,
  questions,
  isSignedIn: () => view.value === 'pages',
  reloadUsagePage: () => usage.reload(),
  onKeyReplaced: showKeyCreated,
  onRenewed: showPages,
  onSignedOut: signOut,
});
export const usage = createUsageStore({
  session,
  failures,
  access,
  keys: keys.keys,
  readUsage: account.readUsage,
  isVisible: () => isShown('usage'),
});
export const notices = createNoticesStore({ session, failures, access, sendsMail });
export const prices = createPricesStore({
  session,
  failures,
  currency,
  theme: openTheme(),
  allowance: account,
  isVisible: () => isShown('prices'),
  onRefresh: keys.load,
  onNotice(text) {
    notice.value = text;
  },
  onTitle(title) {
    pricesTitle.value = title;
  },
});

function show(next: ViewName, text = ''): void {
  batch(() => {
    view.value = next;
    notice.value = text;
  });
}

/** Reads the prices when their page is first shown, because they are charged. */
function openPrices(): boolean {
  const isFirst = !hasPrices.value && isShown('prices');
  if (isFirst) {
    hasPrices.value = true;
    void prices.load();
  }
  return isFirst;
}

page.subscribe(() => {
  if (view.value !== 'pages') return;
  notice.value = '';
  openPrices();
});

function showKeyCreated(oldKey?: string): void {
  entrance.showKey(oldKey);
  show('key-created');
}

/** Reads all data again if the key was rejected before. */
function showPages(): void {
  account.update();
  if (failures.isBlocked()) {
    failures.clear();
    hasPrices.value = false;
    generation.value += 1;
  }
  show('pages');
  // The page Prices reads the usage before its first charged call.
  if (!openPrices()) void account.refresh();
  void keys.load();
}

function showChanged(): void {
  if (view.value === 'key-created') entrance.showKey();
  if (view.value === 'pages') showPages();
  else account.update();
}

function signOut(text: string, { ofKey = false } = {}): void {
  session.signOut(text, { ofKey });
  // Live prices cost calls. Another user of this browser must switch them on.
  prices.live.turn(false);
  // Another user of this tab must not get the page and the tokens of this user.
  history.replaceState(null, '', location.pathname);
  endSession(text);
}

export function useOtherKey(): void {
  signOut('', { ofKey: true });
}

/** Shows the view for an emailed link in the URL. Returns false if the URL contains no complete link. */
function showMailLink(): boolean {
  const link = mailLinkIn(location.hash);
  const isDamaged = !link && isMailLink(location.hash);
  // The browser history must not contain the one-time code.
  if (link || isDamaged) history.replaceState(history.state, '', location.pathname + location.search);
  if (isDamaged) notice.value = DAMAGED_LINK;
  if (!link) return false;
  entrance.link.value = link;
  show('mail-link');
  return true;
}

async function resume(): Promise<void> {
  const { resumeFailure } = entrance;
  try {
    if (!(await session.resume())) show('welcome');
    else if (session.isUnsaved) showKeyCreated();
    else showPages();
    resumeFailure.clear();
  } catch (thrown) {
    const error = toError(thrown);
    if (isTemporary(error)) {
      // A repeated failure leaves the focus where it is.
      if (view.value !== 'resume') show('resume');
      resumeFailure.own.add(resumeFailure.own, error, resume);
    } else {
      show('welcome');
      entrance.signInError.value = error;
    }
  }
}

/** Shows the first view. */
export async function start(): Promise<void> {
  addEventListener('hashchange', showMailLink);
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted && session.isOver()) location.reload();
  });
  const isDamaged = isMailLink(location.hash) && !mailLinkIn(location.hash);
  if (showMailLink()) return;
  if (ended === undefined) await resume();
  else show('welcome', ended);
  if (isDamaged) notice.value = DAMAGED_LINK;
}
