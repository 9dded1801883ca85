import { type Answer, QuotientClient, QuotientError, type User, type UserOfKey } from '../../client/index.ts';
import { openKeyStore, openTabs, type TabMessage, warnBeforeLeaving } from './key-store.ts';

/** What the key that is signed in may do with the account: all, or nothing, or nobody knows yet. */
export type Access = 'owner' | 'none' | 'unknown';

/** Nobody waits longer than this in front of a screen. */
const TIMEOUT_MS = 20_000;

/** Whether no service takes the key: it is refused, or has not the form of one. */
const isDead = ({ status, code }: QuotientError) => status === 401 || code === 'api_key_invalid';

type Events = {
  onChanged: () => void;
  /** Another tab ended the session; `notice` says why. */
  onEnded: (notice: string) => void;
};

/** The signed-in user, the key and a client. A tab keeps its user and follows other tabs' changes of that user. */
export function createSession(base: URL, { onChanged, onEnded }: Events) {
  const store = openKeyStore(base.pathname);
  const tabs = openTabs(`quotient:key:${base.pathname}`, (message) => void hear(message));
  /** The keys that this tab has seen replaced, each with the one that took its place. */
  const replaced = new Map<string, string>();
  let key = '';
  let user: UserOfKey | undefined;
  const listeners: ((answer: Answer) => void)[] = [];
  const anonymous = new QuotientClient({
    baseUrl: base.href,
    timeout: TIMEOUT_MS,
    // The page tries again itself, and says when.
    retries: 0,
    onAnswer: (answer) => {
      for (const listener of listeners) listener(answer);
    },
  });
  let client = anonymous;
  /** Whether this key is, and not one of another user. */
  const isRemembered = () => key !== '' && store.deviceKey() === key;

  function adopt(next: string): void {
    if (isRemembered()) store.keepOnDevice(next);
    key = next;
    client = anonymous.withKey(next);
    store.keep(next);
  }

  function noteReplaced(from: string, to: string): void {
    if (from === to) return;
    for (const [before, last] of replaced) if (last === from) replaced.set(before, to);
    replaced.set(from, to);
  }

  function setUnsaved(isUnsaved: boolean): void {
    store.setUnsaved(isUnsaved);
    warnBeforeLeaving(isUnsaved);
  }

  function leave(): void {
    setUnsaved(false);
    store.forget(key || (store.tabKey() ?? ''));
    replaced.clear();
    key = '';
    user = undefined;
    client = anonymous;
  }

  /** Signs in with a key. Free, and possible with an expired key. Rejects as the client does. */
  async function signIn(given: string): Promise<void> {
    const next = await anonymous.withKey(given).user();
    // What was kept belongs to the user who was here before.
    key = '';
    user = next;
    adopt(given);
  }

  async function hear(message: TabMessage): Promise<void> {
    if (!user) return;
    if (message.type === 'ask') {
      const next = replaced.get(message.key ?? '');
      if (next === undefined) tabs.send({ type: 'key', key });
      else tabs.send({ type: 'changed', user: user.key, from: message.key ?? '', to: next });
    } else if (message.type === 'changed' && message.user === user.key) {
      noteReplaced(message.from, message.to);
      if (key === message.from) adopt(message.to);
      const asked = client;
      const next = await asked.user().catch(() => undefined);
      if (asked !== client) return;
      user = next ?? user;
      onChanged();
    } else if (message.type === 'ended' && message.user === user.key) {
      // A key that nobody has saved would be lost.
      if (store.isUnsaved() || (message.key ?? key) !== key) return;
      leave();
      onEnded(message.notice);
    }
  }

  return {
    baseUrl: base.href,
    anonymous,
    get client(): QuotientClient {
      return client;
    },
    get user(): UserOfKey | undefined {
      return user;
    },
    get key(): string {
      return key;
    },
    /** Whether the key is a new one, which the user has not saved yet. */
    get isUnsaved(): boolean {
      return store.isUnsaved();
    },
    onAnswer: (listener: (answer: Answer) => void) => void listeners.push(listener),
    signIn,

    /** Continues as the user that registering, replacing the key, renewing or a mail's link returned. */
    continueAs(next: User): void {
      const from = key;
      const isSameUser = user?.key === next.key;
      if (!isSameUser) key = '';
      user = next;
      adopt(next.apiKey);
      if (key !== from) setUnsaved(true);
      if (!isSameUser) return;
      noteReplaced(from, key);
      tabs.send({ type: 'changed', user: next.key, from, to: key });
    },

    setSaved: () => setUnsaved(false),

    /** Signs in with the key of this tab, device or another tab, if there is one. Dead keys are forgotten. */
    async resume(): Promise<boolean> {
      let failure: QuotientError | undefined;
      const finders = [store.tabKey, store.deviceKey, tabs.ask];
      for (const find of finders) {
        const found = await find();
        if (found === undefined) continue;
        try {
          await signIn(found);
        } catch (error) {
          if (!(error instanceof QuotientError) || !isDead(error)) throw error;
          failure = error;
          store.forget(found);
          continue;
        }
        if (user && store.hasEnded(user.key) && !store.isUnsaved()) {
          leave();
          continue;
        }
        setUnsaved(store.isUnsaved());
        // The tab may have slept while another one replaced the key.
        tabs.send({ type: 'ask', key });
        return true;
      }
      if (failure) throw failure;
      return false;
    },

    /** Whether this page has slept through the end of its session, or a page after it in this tab ended it. */
    isOver: (): boolean => user !== undefined && (store.hasEnded(user.key) || store.hasChanged()),

    /** Ends the session in all tabs. `ofKey`: the key alone is dead, and tabs with another key go on. */
    signOut(notice: string, { ofKey = false } = {}): void {
      if (user) {
        if (!ofKey) store.noteEnd(user.key);
        tabs.send({ type: 'ended', user: user.key, by: key, notice, ...(ofKey && { key }) });
      }
      leave();
    },

    isRemembered,
    setRemembered(on: boolean): void {
      if (on && key !== '') store.keepOnDevice(key);
      else store.forgetOnDevice();
    },
  };
}

export type Session = ReturnType<typeof createSession>;
