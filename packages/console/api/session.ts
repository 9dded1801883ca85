import { type Answer, QuotientClient, QuotientError, type User, type UserOfKey } from '../../client/index.ts';
import { setServiceTime } from '../../pages/clock.ts';
import { openKeyStore, openTabs, type TabMessage, warnBeforeLeaving } from './key-store.ts';

/** The key's access to the account; `unknown` until the service responds. */
export type Access = 'owner' | 'none' | 'unknown';

const TIMEOUT_MS = 20_000;
const isKeyInvalid = ({ status, code }: QuotientError) => status === 401 || code === 'api_key_invalid';

type Events = {
  onChanged: () => void;
  /** Another tab ended the session. `notice` is the reason. */
  onEnded: (notice: string) => void;
};

type State = Events & {
  store: ReturnType<typeof openKeyStore>;
  tabs: ReturnType<typeof openTabs>;
  /** The newest keys, by the keys that they have replaced. */
  replaced: Map<string, string>;
  key: string;
  user?: UserOfKey | undefined;
  anonymous: QuotientClient;
  client: QuotientClient;
};

const isRemembered = ({ key, store }: State) => key !== '' && store.deviceKey() === key;

function adopt(state: State, next: string): void {
  const { store, anonymous } = state;
  if (isRemembered(state)) store.keepOnDevice(next);
  state.key = next;
  state.client = anonymous.withKey(next);
  store.keep(next);
}

function noteReplaced({ replaced }: State, from: string, to: string): void {
  if (from === to) return;
  for (const [before, last] of replaced) if (last === from) replaced.set(before, to);
  replaced.set(from, to);
}

function setUnsaved({ store }: State, isUnsaved: boolean): void {
  store.setUnsaved(isUnsaved);
  warnBeforeLeaving(isUnsaved);
}

function leave(state: State): void {
  const { store, key } = state;
  setUnsaved(state, false);
  store.forget(key || (store.tabKey() ?? ''));
  state.replaced.clear();
  state.key = '';
  state.user = undefined;
  state.client = state.anonymous;
}

/** Costs no call, and works with an expired key too. Rejects with the client's error. */
async function signIn(state: State, given: string): Promise<void> {
  const next = await state.anonymous.withKey(given).user();
  // Otherwise, `adopt` could replace the previous user's key on the device.
  state.key = '';
  state.user = next;
  adopt(state, given);
}

/** Adopts the user that registration, replacement, renewal or an emailed link returned. */
function continueAs(state: State, next: User): void {
  const from = state.key;
  const isSameUser = state.user?.key === next.key;
  if (!isSameUser) state.key = '';
  state.user = next;
  adopt(state, next.apiKey);
  if (state.key !== from) setUnsaved(state, true);
  if (!isSameUser) return;
  noteReplaced(state, from, state.key);
  state.tabs.send({ type: 'changed', user: next.key, from, to: state.key });
}

/** Signs in with the key of this tab, the device or another tab. Removes invalid keys. False if no key is valid. */
async function resume(state: State): Promise<boolean> {
  const { store, tabs } = state;
  let failure: QuotientError | undefined;
  const finders = [store.tabKey, store.deviceKey, tabs.requestKey];
  for (const find of finders) {
    const found = await find();
    if (found === undefined) continue;
    try {
      await signIn(state, found);
    } catch (error) {
      if (!(error instanceof QuotientError) || !isKeyInvalid(error)) throw error;
      failure = error;
      store.forget(found);
      continue;
    }
    if (state.user && store.hasEnded(state.user.key) && !store.isUnsaved()) {
      leave(state);
      continue;
    }
    setUnsaved(state, store.isUnsaved());
    // Another tab may have replaced the key while this tab was suspended.
    tabs.send({ type: 'ask', key: state.key });
    return true;
  }
  if (failure) throw failure;
  return false;
}

async function handleMessage(state: State, message: TabMessage): Promise<void> {
  const { user, key, store, tabs, replaced } = state;
  if (!user) return;
  if (message.type === 'ask') {
    const next = replaced.get(message.key ?? '');
    if (next === undefined) tabs.send({ type: 'key', key });
    else tabs.send({ type: 'changed', user: user.key, from: message.key ?? '', to: next });
  } else if (message.type === 'changed' && message.user === user.key) {
    noteReplaced(state, message.from, message.to);
    if (key === message.from) adopt(state, message.to);
    const requester = state.client;
    const next = await requester.user().catch(() => undefined);
    if (requester !== state.client) return;
    state.user = next ?? state.user;
    state.onChanged();
  } else if (message.type === 'ended' && message.user === user.key) {
    // A new key that is not saved yet would be lost. The end of another key's sessions does not concern this tab.
    if (store.isUnsaved() || (message.key ?? key) !== key) return;
    leave(state);
    state.onEnded(message.notice);
  }
}

/** The signed-in user, the key and a client. Changes to this user in other tabs also apply to this tab. */
export function createSession(base: URL, events: Events) {
  const store = openKeyStore(base.pathname);
  const tabs = openTabs(`quotient:key:${base.pathname}`, (message) => void handleMessage(state, message));
  const listeners: ((answer: Answer) => void)[] = [];
  const anonymous = new QuotientClient({
    baseUrl: base.href,
    timeout: TIMEOUT_MS,
    // The page itself retries failed calls and shows the time until the next attempt.
    retries: 0,
    // The request log of the user lists only requests of programs.
    headers: { 'Quotient-Console': '1' },
    onAnswer: (answer) => {
      setServiceTime(answer.date);
      for (const listener of listeners) listener(answer);
    },
  });
  const state: State = { ...events, store, tabs, anonymous, client: anonymous, replaced: new Map(), key: '' };

  return {
    baseUrl: base.href,
    anonymous,
    get client(): QuotientClient {
      return state.client;
    },
    get user(): UserOfKey | undefined {
      return state.user;
    },
    get key(): string {
      return state.key;
    },
    get isUnsaved(): boolean {
      return store.isUnsaved();
    },
    onAnswer: (listener: (answer: Answer) => void) => void listeners.push(listener),
    signIn: (key: string) => signIn(state, key),
    continueAs: (next: User) => continueAs(state, next),
    setSaved: () => setUnsaved(state, false),

    /** Reloads the page, which continues with the stored key. */
    reload(): void {
      warnBeforeLeaving(false);
      location.reload();
    },

    resume: () => resume(state),
    /** Whether the session has ended in another tab, or a later page in this tab has changed the key. */
    isOver(): boolean {
      const { user } = state;
      return user !== undefined && (store.hasEnded(user.key) || store.hasChanged());
    },

    /** Ends the session in all tabs. With `ofKey`, the session continues in tabs that use another key of the user. */
    signOut(notice: string, { ofKey = false } = {}): void {
      const { user, key } = state;
      if (user) {
        if (!ofKey) store.noteEnd(user.key);
        tabs.send({ type: 'ended', user: user.key, by: key, notice, ...(ofKey && { key }) });
      }
      leave(state);
    },

    isRemembered: () => isRemembered(state),
    setRemembered(on: boolean): void {
      if (on && state.key !== '') store.keepOnDevice(state.key);
      else store.forgetOnDevice();
    },
  };
}

export type Session = ReturnType<typeof createSession>;
