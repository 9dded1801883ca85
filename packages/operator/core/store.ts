import { signal } from '@preact/signals';
import { openQuestions } from '../../pages/components/dialog.tsx';
import { openResource } from '../../pages/components/resource.ts';
import { openToasts } from '../../pages/components/toast.tsx';
import { DAY } from '../../pages/dates.ts';
import { endSession, takeEndNotice } from '../../pages/session/end.ts';
import { openStored } from '../../pages/session/storage.ts';
import { createApi, type Query } from '../api/api.ts';
import { type Place, placeIn } from './router.ts';

/* The state of the page: the session, the place in the URL, the data of the views, the open dialog and the last result. */

/** The tab's storage. The token is in no URL, and other tabs do not get it. It may be blocked. */
const stored = openStored('sessionStorage', 'quotient:admin-token');

export const token = signal(stored.read());
export const place = signal<Place>(placeIn(location.hash));
/** The search to which a user's view links back. */
export const lastSearch = signal<Query>({});
export const questions = openQuestions();
export const { ask } = questions;
export const toasts = openToasts();
export const { report } = toasts;

export function end(notice: string): void {
  if (token.value === undefined) return;
  token.value = undefined;
  stored.remove();
  endSession(notice);
}

export const api = createApi(
  () => token.value,
  () => end('The service no longer accepts the token.'),
);

/** The largest page of the API. */
const MAX_PAGE = '100';

export const announcement = openResource(api.announcement);
export const users = openResource(api.users);
export const user = openResource(async (key: number) => {
  const [shown, byKey, byPath] = await Promise.all([api.user(key), api.usage(key, 'key'), api.usage(key, 'path')]);
  return { user: shown, byKey, byPath };
});
export const sources = openResource(api.sources);
export const messages = openResource(api.messages);
export const audit = openResource(api.audit);
export const overview = openResource(async () => {
  const from = new Date(Date.now() - DAY).toISOString();
  const [active, reports, requests, undelivered, events] = await Promise.all([
    api.users({ sort: 'lastHour', limit: MAX_PAGE }),
    api.sources(),
    api.requests(),
    api.messages({ limit: MAX_PAGE }),
    api.audit({ from, limit: MAX_PAGE }),
  ]);
  return { active, sources: reports, requests, undelivered, events };
});
/** A page of the served tokens, with the state of all tokens. */
export const tokens = openResource(async (query: Query) => {
  const changes = ['token.add', 'token.alias', 'token.remove'].map((action) => api.audit({ action }));
  const [page, reports, ...pages] = await Promise.all([api.tokens(query), api.sources(), ...changes]);
  const events = pages.flatMap(({ items }) => items).sort((one, other) => other.id - one.id);
  return { ...page, sources: reports, events };
});
/** The coins that CoinGecko lists for a search. */
export const coins = openResource(api.coins);

const VIEW_DATA = [users, user, sources, messages, audit, overview, tokens, coins];

/** Removes the data of the views, so that data of another user or of another search never stays visible. */
export function clearViews(): void {
  for (const resource of VIEW_DATA) resource.clear();
}

/** Opens the view of a fragment, even if it is the current view. */
export function go(fragment: string): void {
  if (location.hash === fragment) dispatchEvent(new HashChangeEvent('hashchange'));
  else location.hash = fragment;
}

/** Signs in if the service accepts the token. */
export async function signIn(entered: string): Promise<void> {
  const current = await createApi(
    () => entered,
    () => undefined,
  ).announcement();
  stored.write(entered);
  toasts.clear();
  announcement.set(current);
  token.value = entered;
}

const notice = takeEndNotice();
if (notice) report(notice);
