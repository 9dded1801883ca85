import { byId } from '../pages/dom.ts';
import { fieldOf, onSubmit } from '../pages/form.ts';
import { openQuestions } from '../pages/question.ts';
import { endSession, takeEndNotice } from '../pages/session/end.ts';
import { openStored } from '../pages/session/storage.ts';
import { createApi } from './api/api.ts';
import { errorNote } from './api/problem.ts';
import { openAudit } from './audit/audit.ts';
import { openReport, type View } from './core/context.ts';
import { placeIn } from './core/router.ts';
import { openAnnouncement } from './service/announcement.ts';
import { openMessages } from './service/messages.ts';
import { openSources } from './service/sources.ts';
import { openUsers } from './users/list.ts';
import { openUser } from './users/user.ts';

/** The tab's storage. The token is in no URL, and other tabs do not get it. */
const stored = openStored('sessionStorage', 'quotient:admin-token');
/** The storage may be blocked, so the page also keeps the token in memory. */
let token = stored.read();

const report = openReport();
const api = createApi(
  () => token,
  () => end('The service no longer accepts the token.'),
);
const go = (fragment: string) => {
  if (location.hash === fragment) void showPlace();
  else location.hash = fragment;
};
const context = { api, ask: openQuestions(errorNote), report, go };

type Named = { id: string; title: string; view: View };
const USER: Named = { id: 'user-view', title: 'User', view: openUser(context) };
const VIEWS: Readonly<Record<string, Named>> = {
  users: { id: 'users-view', title: 'Users', view: openUsers(context) },
  sources: { id: 'sources-view', title: 'Sources', view: openSources(context) },
  messages: { id: 'messages-view', title: 'Messages', view: openMessages(context) },
  announcement: { id: 'announcement-view', title: 'Announcement', view: openAnnouncement(context) },
  audit: { id: 'audit-view', title: 'Audit log', view: openAudit(context) },
};
const views = byId('views');
const signOut = byId('sign-out');
const signIn = byId('sign-in', HTMLFormElement);
const dialog = byId('question', HTMLDialogElement);
/** The view and the user that are shown, to move the focus only if they change. */
let current: string | undefined;

function showOnly(id: string): void {
  for (const section of document.querySelectorAll<HTMLElement>('main > section')) section.hidden = section.id !== id;
}

function showSignIn(): void {
  showOnly('sign-in-view');
  document.title = 'Sign in · Quotient operator';
  document.body.dataset.view = 'sign-in';
  signIn.querySelector<HTMLElement>('input')?.focus();
}

/** Shows the view of the URL. The first view after a load does not take the focus. */
async function showPlace(): Promise<void> {
  if (token === undefined) return showSignIn();
  const place = placeIn(location.hash);
  const name = Object.hasOwn(VIEWS, place.view) ? place.view : 'users';
  const isUser = name === 'users' && /^[1-9]\d{0,9}$/.test(place.id ?? '');
  const { id, title, view } = isUser ? USER : (VIEWS[name] as Named);
  const next = `${id} ${isUser ? place.id : ''} ${place.query.cursor ?? ''}`;
  const isMoved = current !== undefined && current !== next;
  current = next;
  showOnly(id);
  views.hidden = false;
  signOut.hidden = false;
  document.body.dataset.view = name;
  document.title = `${title}${isUser ? ` ${place.id}` : ''} · Quotient operator`;
  for (const link of views.querySelectorAll('a')) {
    if (link.hash === `#/${name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (isMoved) {
    report('');
    byId(id).querySelector<HTMLElement>('h1')?.focus();
    scrollTo(0, 0);
  }
  await view(place);
}

function end(text: string): void {
  if (token === undefined) return;
  token = undefined;
  stored.remove();
  endSession(text);
}

onSubmit(
  signIn,
  'Signing in…',
  async (fields) => {
    const entered = fieldOf(fields, 'token').trim();
    // The call checks the token before any view needs it.
    await createApi(
      () => entered,
      () => undefined,
    ).announcement();
    token = entered;
    stored.write(entered);
    report('');
    await showPlace();
    document.querySelector<HTMLElement>('main > section:not([hidden]) h1')?.focus();
  },
  { note: errorNote },
);
signOut.addEventListener('click', () => end('You are signed out. This tab no longer stores the token.'));
addEventListener('hashchange', () => {
  if (dialog.open) dialog.close();
  void showPlace();
});
report(takeEndNotice() ?? '');
void showPlace();
