import type { User } from '../client/index.ts';
import { byId, openScrollEdges } from '../pages/dom.ts';
import { isTemporary, toError } from '../pages/problem.ts';
import { openQuestions } from '../pages/question.ts';
import { endSession, takeEndNotice } from '../pages/session/end.ts';
import { openAccountMenu } from './account/account-menu.ts';
import { openAllowance } from './account/allowance.ts';
import { openKeys } from './account/keys.ts';
import { openNotices } from './account/notices.ts';
import { isMailLink, mailLinkIn, openMailLink, openSignIn } from './account/sign-in.ts';
import { openKeyCreated } from './account/validity.ts';
import { openRequests } from './activity/requests.ts';
import { openUsage } from './activity/usage.ts';
import { openWebhooks } from './activity/webhooks.ts';
import { openAnnouncement } from './announcement.ts';
import { createSession } from './api/session.ts';
import { openCurrency } from './core/currency.ts';
import { factsOf, openTheme } from './core/facts.ts';
import { openDashboard } from './dashboard/dashboard.ts';
import { openBanner, openPanelErrors } from './dashboard/panel-errors.ts';
import { openRetries } from './dashboard/retries.ts';
import { openSample } from './sample.ts';

/** The ID of each view's heading, which receives the focus when the view opens. */
const VIEWS = {
  resume: 'resume-title',
  welcome: 'welcome-title',
  'mail-link': 'mail-link-title',
  'key-created': 'key-created-title',
  dashboard: 'dashboard-title',
};
type ViewName = keyof typeof VIEWS;

const DAMAGED_LINK = 'The link is incomplete. Open the whole link from the email.';
const theme = openTheme();
const resumeRetries = openRetries();
const session = createSession(new URL('.', location.href), { onChanged: showChanged, onEnded: endSession });
const ended = takeEndNotice();
let current: ViewName | undefined;

function show(view: ViewName, notice = ''): void {
  for (const name of Object.keys(VIEWS)) byId(name).hidden = name !== view;
  const isFirst = current === undefined && ended === undefined;
  // On a phone, the user has scrolled down to the form. The next view must start at the top.
  if (current !== view) scrollTo(0, 0);
  current = view;
  document.body.dataset.view = view;
  byId('account-button').hidden = view !== 'dashboard';
  showNotice(notice);
  if (view !== 'dashboard') document.title = 'Quotient';
  if (!isFirst) byId(VIEWS[view]).focus({ preventScroll: view === 'dashboard' });
}

function showNotice(text: string): void {
  byId('notice').textContent = text;
}

const isDashboard = () => current === 'dashboard';
const keyCreated = openKeyCreated(session, showDashboard);
const facts = factsOf(document.documentElement);
const signIn = openSignIn(session, facts, { onRegistered: showKeyOf, onSignedIn: showDashboard });
const mailLink = openMailLink(session, {
  onKey(user) {
    const isReplaced = session.user !== undefined;
    session.continueAs(user);
    // The page may show the data of another user. A key that the browser does not store must not be lost.
    if (isReplaced && session.isUnsaved) session.reload();
    else showKeyCreated();
  },
  onLeave: () => (session.user ? showDashboard() : void resume()),
});
openSample(session.anonymous);
openAnnouncement(session.anonymous);
const ask = openQuestions();
const accountMenu = openAccountMenu(session, ask, {
  usage: () => allowance.usage(),
  renewal: () => allowance.renewal(),
  onKeyReplaced: showKeyCreated,
  onRenewed: showDashboard,
  onSignedOut: (notice) => signOut(notice),
});
const banner = openBanner({
  onRenew: accountMenu.confirmRenewal,
  onOtherKey: useOtherKey,
  resetsAt: () => allowance.usage()?.resetsAt,
});
const errors = openPanelErrors(banner);
session.onAnswer(errors.onAnswer);
const webhooks = openWebhooks(session, errors.onError);
const notices = openNotices(session, webhooks.open);
const usage = openUsage(session, errors.onError);
const requests = openRequests(session, errors.onError);
const keys = openKeys(session, ask, {
  onAccess(access) {
    accountMenu.restrict(access === 'none');
    allowance.setAccess(access);
    if (access === 'owner') void requests.open();
    else requests.hide();
    if (access === 'owner' && facts.sendsMail) void notices.load();
  },
  onKeys(listed) {
    usage.setKeys(listed);
    requests.setKeys(listed);
  },
  onOwnKeyRevoked() {
    signOut('The key that you signed in with has been revoked.', { ofKey: true });
  },
  onReplace: accountMenu.confirmReplacement,
  onError: errors.onError,
});
const allowance = openAllowance(session, {
  isVisible: isDashboard,
  onError: errors.onError,
  onUsage: usage.update,
});
const dashboard = openDashboard({
  session,
  theme,
  allowance,
  errors,
  currency: openCurrency(),
  isVisible: isDashboard,
  onRefresh: keys.load,
  onNotice: showNotice,
});

function showKeyOf(user: User): void {
  session.continueAs(user);
  showKeyCreated();
}

function showKeyCreated(): void {
  keyCreated.show();
  show('key-created');
}

function showDashboard(): void {
  accountMenu.show();
  show('dashboard');
  void dashboard.load();
  void keys.load();
}

function showChanged(): void {
  accountMenu.show();
  if (current === 'key-created') keyCreated.show();
  if (!isDashboard()) return;
  if (errors.isBlocked()) void dashboard.load();
  else void allowance.refresh();
  void keys.load();
}

function signOut(notice: string, { ofKey = false } = {}): void {
  session.signOut(notice, { ofKey });
  endSession(notice);
}

function useOtherKey(): void {
  signOut('', { ofKey: true });
}

/** Shows the view for an emailed link in the URL. Returns false if the URL contains no complete link. */
function showMailLink(): boolean {
  const link = mailLinkIn(location.hash);
  // The browser history must not contain the one-time code.
  if (isMailLink(location.hash)) {
    history.replaceState(history.state, '', location.pathname + location.search);
    if (!link) showNotice(DAMAGED_LINK);
  }
  if (!link) return false;
  mailLink.show(link);
  show('mail-link');
  return true;
}

byId('account-button').addEventListener('click', accountMenu.show);
for (const box of document.querySelectorAll<HTMLElement>('.scroll-frame > .scroll')) openScrollEdges(box);
addEventListener('hashchange', showMailLink);
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && session.isOver()) location.reload();
});
byId('resume-leave').addEventListener('click', useOtherKey);

async function resume(): Promise<void> {
  try {
    if (!(await session.resume())) show('welcome');
    else if (session.isUnsaved) showKeyCreated();
    else showDashboard();
    resumeRetries.clear();
  } catch (thrown) {
    const error = toError(thrown);
    if (isTemporary(error)) {
      // A repeated failure leaves the focus where it is.
      if (current !== 'resume') show('resume');
      const problem = byId('resume-problem');
      resumeRetries.add(problem, problem, error, resume);
    } else {
      show('welcome');
      signIn.showProblem(error);
    }
  }
}

const isDamaged = isMailLink(location.hash) && !mailLinkIn(location.hash);
if (!showMailLink()) {
  if (ended === undefined) await resume();
  else show('welcome', ended);
}
if (isDamaged) showNotice(DAMAGED_LINK);
