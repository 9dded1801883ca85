import { openAccount } from './account.ts';
import { openBoard } from './board.ts';
import { openConfirm } from './confirm.ts';
import { byId } from './dom.ts';
import { openEntry } from './entry.ts';
import { openIssued } from './issued.ts';
import { openKeyStore } from './key-store.ts';
import { openMeter } from './meter.ts';
import { toError } from './problem.ts';
import { createSession } from './session.ts';
import { openTheme } from './theme.ts';

/*
 * The table of contents of the page: three views, of which one is shown, and what leads from one to the other.
 */

const VIEWS = { welcome: 'welcome-title', issued: 'issued-title', board: 'board-title' } as const;
type ViewName = keyof typeof VIEWS;

const theme = openTheme();
const base = new URL('.', location.href);
const session = createSession(base.href, openKeyStore(localStorage, base.pathname));
let current: ViewName | undefined;

/** Shows one of the views, and puts the focus where it begins. */
function show(view: ViewName, notice = ''): void {
  for (const name of Object.keys(VIEWS) as ViewName[]) byId(name).hidden = name !== view;
  const isFirst = current === undefined;
  current = view;
  byId('account-button').hidden = view !== 'board';
  byId('notice').textContent = notice;
  if (!isFirst) byId(VIEWS[view]).focus({ preventScroll: view === 'board' });
}

const issued = openIssued(session, enter);
const entry = openEntry(session, {
  onIssued(user) {
    session.take(user);
    showIssued();
  },
  onOpened: enter,
});
const account = openAccount(session, openConfirm(), {
  onReplaced: showIssued,
  onRenewed: enter,
  onLeft: leave,
});
const meter = openMeter(session, () => current === 'board');
const board = openBoard({
  session,
  theme,
  meter,
  onRenew: account.askRenewal,
  onOtherKey: () => leave(''),
});

function showIssued(): void {
  issued.show();
  show('issued');
}

function enter(): void {
  account.show();
  show('board');
  void board.load();
}

function leave(notice: string): void {
  session.leave();
  meter.forget();
  board.forget();
  issued.hide();
  show('welcome', notice);
}

byId('account-button').addEventListener('click', account.show);

/** The key that is remembered on this device opens the page by itself. */
async function begin(): Promise<void> {
  const remembered = session.recall();
  if (remembered === undefined) return show('welcome');
  try {
    await session.open(remembered);
    enter();
  } catch (error) {
    // One that is dead is of no more use here; when the service is away, the next attempt finds it again.
    if (toError(error).status === 401) session.setRemembered(false);
    show('welcome');
    entry.refuse(error);
  }
}

await begin();
