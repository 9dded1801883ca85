import { openAccountMenu } from './account/account-menu.ts';
import { openAllowance } from './account/allowance.ts';
import { openConfirm } from './account/confirm.ts';
import { openKeyCreated } from './account/key-created.ts';
import { createSession } from './account/session.ts';
import { openSignIn } from './account/sign-in.ts';
import { openCurrency } from './currency.ts';
import { openDashboard } from './dashboard/dashboard.ts';
import { byId } from './dom.ts';
import { toError } from './problem.ts';
import { openTheme } from './theme.ts';

/*
 * Opens the parts of the page and switches between its three views.
 */

/** The views, each with its heading, which gets the focus. */
const VIEWS = { welcome: 'welcome-title', 'key-created': 'key-created-title', dashboard: 'dashboard-title' };
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
const signIn = openSignIn(session, {
  onRegistered(user) {
    session.continueAs(user);
    showKeyCreated();
  },
  onSignedIn: showDashboard,
});
const accountMenu = openAccountMenu(session, openConfirm(), {
  onKeyReplaced: showKeyCreated,
  onRenewed: showDashboard,
  onSignedOut: signOut,
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

function showKeyCreated(): void {
  keyCreated.show();
  show('key-created');
}

function showDashboard(): void {
  accountMenu.show();
  show('dashboard');
  void dashboard.load();
}

function signOut(notice: string): void {
  session.signOut();
  allowance.clear();
  dashboard.clear();
  keyCreated.clear();
  show('welcome', notice);
}

byId('account-button').addEventListener('click', accountMenu.show);

/** Signs in with the key that is remembered on this device, if there is one. */
async function start(): Promise<void> {
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
