import type { User } from '../client/index.ts';
import { openAccountMenu } from './account/account-menu.ts';
import { openAllowance } from './account/allowance.ts';
import { openConfirm } from './account/confirm.ts';
import { openKeyCreated } from './account/key-created.ts';
import { mailLinkIn } from './account/link-in-address.ts';
import { openMailLink } from './account/mail-link.ts';
import { openNotices } from './account/notices.ts';
import { createSession } from './account/session.ts';
import { openSignIn } from './account/sign-in.ts';
import { openCurrency } from './currency.ts';
import { openDashboard } from './dashboard/dashboard.ts';
import { byId } from './dom.ts';
import { openKeys } from './keys/keys.ts';
import { toError } from './problem.ts';
import { factsOf } from './service-facts.ts';
import { openTheme } from './theme.ts';

/*
 * Opens the parts of the page and switches between its views.
 */

/** The views, each with its heading, which gets the focus. */
const VIEWS = {
  welcome: 'welcome-title',
  'mail-link': 'mail-link-title',
  'key-created': 'key-created-title',
  dashboard: 'dashboard-title',
};
type ViewName = keyof typeof VIEWS;

const theme = openTheme();
const session = createSession(new URL('.', location.href));
let current: ViewName | undefined;

function show(view: ViewName, notice = ''): void {
  for (const name of Object.keys(VIEWS)) byId(name).hidden = name !== view;
  const isFirst = current === undefined;
  // On a phone, the form that was sent is further down than what it leads to.
  if (current !== view) scrollTo(0, 0);
  current = view;
  byId('account-button').hidden = view !== 'dashboard';
  byId('notice').textContent = notice;
  if (!isFirst) byId(VIEWS[view]).focus({ preventScroll: view === 'dashboard' });
}

const keyCreated = openKeyCreated(session, showDashboard);
const facts = factsOf(document.documentElement);
const signIn = openSignIn(session, facts, {
  onRegistered: showKeyOf,
  onSignedIn: showDashboard,
});
const mailLink = openMailLink(session, {
  onKey(user) {
    clear();
    showKeyOf(user);
  },
  onLeave: () => (session.user ? showDashboard() : show('welcome')),
});
const confirm = openConfirm();
const accountMenu = openAccountMenu(session, confirm, {
  onKeyReplaced: showKeyCreated,
  onRenewed: showDashboard,
  onSignedOut: signOut,
});
const notices = openNotices(session);
const keys = openKeys(session, confirm, {
  onAccess(access) {
    accountMenu.restrict(access === 'none');
    if (access === 'owner' && facts.sendsMail) void notices.load();
  },
  onOwnKeyRevoked: () => signOut('The key that you were signed in with is revoked.'),
});
const allowance = openAllowance(session, () => current === 'dashboard');
const dashboard = openDashboard({
  session,
  theme,
  currency: openCurrency(),
  allowance,
  onRenew: accountMenu.askRenewal,
  onOtherKey: () => signOut(''),
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

/** Removes from the page what belongs to a user. */
function clear(): void {
  allowance.clear();
  dashboard.clear();
  keyCreated.clear();
  keys.clear();
  notices.clear();
  accountMenu.restrict(false);
}

function signOut(notice: string): void {
  session.signOut();
  clear();
  show('welcome', notice);
}

/** Shows what the link of a mail is for, if the address has one; tells whether it has. */
function showMailLink(): boolean {
  const link = mailLinkIn(location.hash);
  if (!link) return false;
  // The history is no place for a token.
  history.replaceState(null, '', location.pathname + location.search);
  mailLink.show(link);
  show('mail-link');
  return true;
}

byId('account-button').addEventListener('click', accountMenu.show);
// A link that is opened where the page is open already.
addEventListener('hashchange', showMailLink);

/** Signs in with the key that is remembered on this device, if there is one. */
async function start(): Promise<void> {
  if (showMailLink()) return;
  const remembered = session.recall();
  if (remembered === undefined) return show('welcome');
  try {
    await session.signIn(remembered);
    showDashboard();
  } catch (error) {
    // A dead key is forgotten. When only the service is away, the next visit tries the key again.
    if (toError(error).status === 401) session.setRemembered(false);
    show('welcome');
    signIn.showProblem(error);
  }
}

await start();
