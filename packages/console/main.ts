import './core/roots.ts';
import { h, render } from 'preact';
import { byId, openScrollEdges } from '../pages/dom.ts';
import { isTemporary, toError } from '../pages/problem.ts';
import { endSession } from '../pages/session/end.ts';
import { Account } from './account/account.tsx';
import { createAccountStore } from './account/store.ts';
import { createSession } from './api/session.ts';
import { factsOf, openTheme, plansOf } from './core/facts.ts';
import { Alerts } from './core/failures.tsx';
import { PAGES, type PageName } from './core/router.ts';
import * as store from './core/store.ts';
import { isMailLink, mailLinkIn, openEntrance } from './entrance/store.ts';
import { EntranceViews } from './entrance/views.tsx';
import { ExposedKeys, Keys } from './keys/keys.tsx';
import { openKeyList } from './keys/store.ts';
import { openNotices } from './notices/notices.tsx';
import { openPrices } from './prices/page.tsx';
import { openAnnouncement } from './shell/announcement.ts';
import { Dialogs, followTitle, Header, Messages, Remedy } from './shell/shell.tsx';
import { openUsage } from './usage/usage.tsx';

const { failures, notice, page, view } = store;

const DAMAGED_LINK = 'The link is incomplete. Open the whole link from the email.';
const theme = openTheme();
const session = createSession(new URL('.', location.href), { onChanged: showChanged, onEnded: endSession });
const facts = factsOf(document.documentElement);
/** The pages whose data was loaded. */
const loaded = new Set<PageName>();

function show(next: store.ViewName, text = ''): void {
  const isFirst = view.value === undefined && store.ended === undefined;
  // On a phone, the user has scrolled down to the form. The next view must start at the top.
  if (view.value !== next) scrollTo(0, 0);
  const isOther = view.value !== next;
  view.value = next;
  notice.value = text;
  byId('dashboard').hidden = next !== 'pages';
  document.body.dataset.view = next;
  if (next === 'pages') {
    showPage();
    if (!isFirst && isOther) focusTitle();
  }
}

const focusTitle = () => byId(`${page.value}-page`).querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });

function showPage(): void {
  for (const name of PAGES) byId(`${name}-page`).hidden = name !== page.value;
  usage.show(page.value === 'usage');
  notices.show(page.value === 'notices');
  if (loaded.has(page.value)) return;
  loaded.add(page.value);
  if (page.value === 'prices') void prices.load();
}

page.subscribe(() => {
  if (view.value !== 'pages') return;
  notice.value = '';
  showPage();
  focusTitle();
  scrollTo(0, 0);
});

const entrance = openEntrance(session, { ...facts, plans: plansOf(document.body) }, failures.open(), {
  onKey(user) {
    const isReplaced = session.user !== undefined;
    session.continueAs(user);
    // The page may show the data of another user. A key that the browser does not store must not be lost.
    if (isReplaced && session.isUnsaved) session.reload();
    else showKeyCreated();
  },
  onSignedIn: showPages,
  onLinkLeft: () => (session.user ? showPages() : void resume()),
  onOtherKey: () => useOtherKey(),
});
session.onAnswer(failures.onAnswer);
const account = createAccountStore({
  session,
  failures,
  ask: store.questions.ask,
  isSignedIn: () => view.value === 'pages',
  onUsage: () => void usage.reload(),
  onKeyReplaced: showKeyCreated,
  onRenewed: showPages,
  onSignedOut: (text) => signOut(text),
});
const keys = openKeyList({
  session,
  failures,
  questions: store.questions,
  onOwnKeyRevoked() {
    signOut('The key that you signed in with has been revoked.', { ofKey: true });
  },
  onReplace: account.replaceKey,
});
const usage = openUsage({ session, failures, keys: keys.keys, access: keys.access });
const notices = openNotices({ session, failures, access: keys.access, sendsMail: facts.sendsMail });
const prices = openPrices({
  session,
  theme,
  allowance: account,
  failures,
  currency: store.currency,
  isVisible: () => store.isShown('prices'),
  onRefresh: keys.load,
  onNotice: (text) => {
    notice.value = text;
  },
  onTitle: (title) => {
    store.pricesTitle.value = title;
  },
});

keys.access.subscribe((access) => {
  account.access.value = access;
});

function showKeyCreated(): void {
  entrance.showKey();
  show('key-created');
}

/** Loads the pages again if the key was rejected before. */
function showPages(): void {
  account.update();
  if (failures.isBlocked()) {
    failures.clear();
    loaded.clear();
    usage.show(false);
    notices.show(false);
  }
  const isLoading = page.value === 'prices' && !loaded.has('prices');
  show('pages');
  // The page Prices reads the usage before its first charged call.
  if (!isLoading) void account.refresh();
  void keys.load();
}

function showChanged(): void {
  account.update();
  if (view.value === 'key-created') entrance.showKey();
  if (view.value === 'pages') showPages();
}

function signOut(text: string, { ofKey = false } = {}): void {
  session.signOut(text, { ofKey });
  // Another user of this tab must not get the page and the tokens of this one.
  history.replaceState(null, '', location.pathname);
  endSession(text);
}

const useOtherKey = () => signOut('', { ofKey: true });

/** Shows the view for an emailed link in the URL. Returns false if the URL contains no complete link. */
function showMailLink(): boolean {
  const link = mailLinkIn(location.hash);
  // The browser history must not contain the one-time code.
  if (isMailLink(location.hash)) {
    history.replaceState(history.state, '', location.pathname + location.search);
    if (!link) notice.value = DAMAGED_LINK;
  }
  if (!link) return false;
  entrance.link.value = link;
  show('mail-link');
  return true;
}

render(h(Header, { account }), byId('bar'));
render(h(Messages, { announced: openAnnouncement(session.anonymous) }), byId('messages'));
const remedy = (error: ReturnType<typeof toError>) => h(Remedy, { error, account, useOtherKey });
render(h(Alerts, { failures, remedy }), byId('alerts'));
render(h(Account, { store: account, sendsMail: facts.sendsMail }), byId('account-page'));
render(h(Keys, { list: keys }), byId('keys-page'));
render(h(ExposedKeys, { list: keys }), byId('exposed-key'));
render(h(EntranceViews, { entrance }), byId('entrance'));
render(h(Dialogs, {}), byId('dialogs'));
followTitle();
for (const box of document.querySelectorAll<HTMLElement>('.scroll-frame > .scroll')) openScrollEdges(box);
addEventListener('hashchange', showMailLink);
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && session.isOver()) location.reload();
});

const { resumeFailure } = entrance;

async function resume(): Promise<void> {
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

const isDamaged = isMailLink(location.hash) && !mailLinkIn(location.hash);
if (!showMailLink()) {
  if (store.ended === undefined) await resume();
  else show('welcome', store.ended);
}
if (isDamaged) notice.value = DAMAGED_LINK;
