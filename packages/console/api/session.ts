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

/** The signed-in user, the key and a client. Changes to this user in other tabs also apply to this tab. */
export function createSession(base: URL, { onChanged, onEnded }: Events) {
  const store = openKeyStore(base.pathname);
  const tabs = openTabs(`quotient:key:${base.pathname}`, (message) => void handleMessage(message));
  const replaced = new Map<string, string>();
  let key = '';
  let user: UserOfKey | undefined;
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
  let client = anonymous;
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

  /** Costs no call, and works with an expired key too. Rejects with the client's error. */
  async function signIn(given: string): Promise<void> {
    const next = await anonymous.withKey(given).user();
    // Otherwise, `adopt` could replace the previous user's key on the device.
    key = '';
    user = next;
    adopt(given);
  }

  async function handleMessage(message: TabMessage): Promise<void> {
    if (!user) return;
    if (message.type === 'ask') {
      const next = replaced.get(message.key ?? '');
      if (next === undefined) tabs.send({ type: 'key', key });
      else tabs.send({ type: 'changed', user: user.key, from: message.key ?? '', to: next });
    } else if (message.type === 'changed' && message.user === user.key) {
      noteReplaced(message.from, message.to);
      if (key === message.from) adopt(message.to);
      const requester = client;
      const next = await requester.user().catch(() => undefined);
      if (requester !== client) return;
      user = next ?? user;
      onChanged();
    } else if (message.type === 'ended' && message.user === user.key) {
      // A new key that is not saved yet would be lost. The end of another key's sessions does not concern this tab.
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
    get isUnsaved(): boolean {
      return store.isUnsaved();
    },
    onAnswer: (listener: (answer: Answer) => void) => void listeners.push(listener),
    signIn,

    /** Adopts the user that registration, replacement, renewal or an emailed link returned. */
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

    /** Reloads the page, which continues with the stored key. */
    reload(): void {
      warnBeforeLeaving(false);
      location.reload();
    },

    /** Signs in with the key of this tab, the device or another tab. Removes invalid keys. False if no key is valid. */
    async resume(): Promise<boolean> {
      let failure: QuotientError | undefined;
      const finders = [store.tabKey, store.deviceKey, tabs.requestKey];
      for (const find of finders) {
        const found = await find();
        if (found === undefined) continue;
        try {
          await signIn(found);
        } catch (error) {
          if (!(error instanceof QuotientError) || !isKeyInvalid(error)) throw error;
          failure = error;
          store.forget(found);
          continue;
        }
        if (user && store.hasEnded(user.key) && !store.isUnsaved()) {
          leave();
          continue;
        }
        setUnsaved(store.isUnsaved());
        // Another tab may have replaced the key while this tab was suspended.
        tabs.send({ type: 'ask', key });
        return true;
      }
      if (failure) throw failure;
      return false;
    },

    /** Whether the session has ended in another tab, or a later page in this tab has changed the key. */
    isOver: (): boolean => user !== undefined && (store.hasEnded(user.key) || store.hasChanged()),

    /** Ends the session in all tabs. With `ofKey`, the session continues in tabs that use another key of the user. */
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
