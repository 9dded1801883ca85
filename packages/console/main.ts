import './core/roots.ts';
import { h, render } from 'preact';
import type { User } from '../client/index.ts';
import { byId, openScrollEdges } from '../pages/dom.ts';
import { isTemporary, toError } from '../pages/problem.ts';
import { openQuestions } from '../pages/question.ts';
import { endSession } from '../pages/session/end.ts';
import { Account } from './account/account.tsx';
import { openKeys } from './account/keys.ts';
import { openNotices } from './account/notices.ts';
import { isMailLink, mailLinkIn, openMailLink, openSignIn } from './account/sign-in.ts';
import { createAccountStore } from './account/store.ts';
import { openKeyCreated } from './account/validity.ts';
import { openRequests } from './activity/requests.ts';
import { openUsage } from './activity/usage.ts';
import { openWebhooks } from './activity/webhooks.ts';
import { createSession } from './api/session.ts';
import { CurrencyChoice } from './core/currency-choice.tsx';
import { factsOf, openTheme } from './core/facts.ts';
import { Alerts, PanelNote } from './core/failures.tsx';
import { PAGES, type PageName } from './core/router.ts';
import * as store from './core/store.ts';
import { openDashboard } from './dashboard/dashboard.ts';
import { openSample } from './sample.ts';
import { openAnnouncement } from './shell/announcement.ts';
import { Dialogs, followTitle, Header, Messages, Remedy } from './shell/shell.tsx';

const { failures, notice, page, view } = store;

/** The ID of the heading of each view before the pages, which receives the focus when the view opens. */
const HEADINGS = {
  resume: 'resume-title',
  welcome: 'welcome-title',
  'mail-link': 'mail-link-title',
  'key-created': 'key-created-title',
};

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
  for (const name of Object.keys(HEADINGS)) byId(name).hidden = name !== next;
  byId('dashboard').hidden = next !== 'pages';
  document.body.dataset.view = next;
  if (next === 'pages') {
    showPage();
    if (!isFirst && isOther) focusTitle();
  } else if (!isFirst) byId(HEADINGS[next]).focus();
}

const focusTitle = () => byId(`${page.value}-page`).querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });

function showPage(): void {
  for (const name of PAGES) byId(`${name}-page`).hidden = name !== page.value;
  if (loaded.has(page.value)) return;
  loaded.add(page.value);
  if (page.value === 'prices') void dashboard.load();
  else loadForOwner();
}

/** Loads the data that only an owner key can read. */
function loadForOwner(): void {
  if (account.access.value !== 'owner') return;
  if (loaded.has('usage')) void requests.open();
  if (loaded.has('notices') && facts.sendsMail) void notices.load();
}

page.subscribe(() => {
  if (view.value !== 'pages') return;
  notice.value = '';
  showPage();
  focusTitle();
  scrollTo(0, 0);
});

const keyCreated = openKeyCreated(session, showPages);
const signIn = openSignIn(session, facts, { onRegistered: showKeyOf, onSignedIn: showPages });
const mailLink = openMailLink(session, {
  onKey(user) {
    const isReplaced = session.user !== undefined;
    session.continueAs(user);
    // The page may show the data of another user. A key that the browser does not store must not be lost.
    if (isReplaced && session.isUnsaved) session.reload();
    else showKeyCreated();
  },
  onLeave: () => (session.user ? showPages() : void resume()),
});
openSample(session.anonymous);
const ask = openQuestions();
session.onAnswer(failures.onAnswer);
const account = createAccountStore({
  session,
  failures,
  ask: store.questions.ask,
  isSignedIn: () => view.value === 'pages',
  onUsage: (usage) => usagePanel.update(usage),
  onKeyReplaced: showKeyCreated,
  onRenewed: showPages,
  onSignedOut: (text) => signOut(text),
});
const webhooks = openWebhooks(session, failures.onError);
const notices = openNotices(session, webhooks.open);
const usagePanel = openUsage(session, failures.onError);
const requests = openRequests(session, failures.onError);
const keys = openKeys(session, ask, {
  onAccess(access) {
    const isOther = account.access.value !== access;
    account.access.value = access;
    if (access !== 'owner') requests.hide();
    else if (isOther) loadForOwner();
  },
  onKeys(listed) {
    usagePanel.setKeys(listed);
    requests.setKeys(listed);
  },
  onOwnKeyRevoked() {
    signOut('The key that you signed in with has been revoked.', { ofKey: true });
  },
  onReplace: account.replaceKey,
  onError: failures.onError,
});
const dashboard = openDashboard({
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

function showKeyOf(user: User): void {
  session.continueAs(user);
  showKeyCreated();
}

function showKeyCreated(): void {
  keyCreated.show();
  show('key-created');
}

/** Loads the pages again if the key was rejected before. */
function showPages(): void {
  account.update();
  if (failures.isBlocked()) {
    failures.clear();
    loaded.clear();
  }
  const isLoading = page.value === 'prices' && !loaded.has('prices');
  show('pages');
  // The page Prices reads the usage before its first charged call.
  if (!isLoading) void account.refresh();
  void keys.load();
}

function showChanged(): void {
  account.update();
  if (view.value === 'key-created') keyCreated.show();
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
  mailLink.show(link);
  show('mail-link');
  return true;
}

render(h(Header, { account }), byId('bar'));
render(h(Messages, { announced: openAnnouncement(session.anonymous) }), byId('messages'));
const remedy = (error: ReturnType<typeof toError>) => h(Remedy, { error, account, useOtherKey });
render(h(Alerts, { failures, remedy }), byId('alerts'));
render(h(CurrencyChoice, { currency: store.currency }), byId('currency'));
render(h(Account, { store: account, sendsMail: facts.sendsMail }), byId('account-page'));
render(h(Dialogs, {}), byId('dialogs'));
followTitle();
for (const box of document.querySelectorAll<HTMLElement>('.scroll-frame > .scroll')) openScrollEdges(box);
addEventListener('hashchange', showMailLink);
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && session.isOver()) location.reload();
});
byId('resume-leave').addEventListener('click', useOtherKey);

const resumeFailure = failures.open();
render(h(PanelNote, { of: resumeFailure }), byId('resume-problem'));

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
      signIn.showProblem(error);
    }
  }
}

const isDamaged = isMailLink(location.hash) && !mailLinkIn(location.hash);
if (!showMailLink()) {
  if (store.ended === undefined) await resume();
  else show('welcome', store.ended);
}
if (isDamaged) notice.value = DAMAGED_LINK;
