import { openStored } from '../core/storage.ts';

const MOST_ENDS = 20;

/** Stores the key in this tab, and on this device on request. Services at different paths can share a host. */
export function openKeyStore(path: string) {
  const ofTab = openStored('sessionStorage', `quotient:key:${path}`);
  const ofDevice = openStored('localStorage', `quotient:key:${path}`);
  const since = openStored('sessionStorage', `quotient:since:${path}`);
  const unsaved = openStored('sessionStorage', `quotient:unsaved:${path}`);
  /** Sign-outs on this device, for suspended tabs: a line `<user> <Unix ms>` each. */
  const ended = openStored('localStorage', `quotient:ended:${path}`);
  const ends = () => (ended.read() ?? '').split('\n').map((line) => line.split(' ').map(Number));

  let kept: string | undefined;

  return {
    tabKey: ofTab.read,
    deviceKey: ofDevice.read,
    isUnsaved: () => unsaved.read() !== undefined,

    /** The time of the sign-in remains if the key is the same. */
    keep(key: string): void {
      if (ofTab.read() !== key) {
        ofTab.write(key);
        since.write(String(Date.now()));
      }
      kept = ofTab.read();
    },
    /** Whether another page of this tab has changed the stored key. */
    hasChanged: () => ofTab.read() !== kept,
    keepOnDevice: ofDevice.write,
    forgetOnDevice: ofDevice.remove,
    setUnsaved(isUnsaved: boolean): void {
      if (isUnsaved) unsaved.write('true');
      else unsaved.remove();
    },

    forget(key: string): void {
      if (ofDevice.read() === key) ofDevice.remove();
      if (ofTab.read() !== key) return;
      kept = undefined;
      for (const stored of [ofTab, since, unsaved]) stored.remove();
    },

    noteEnd(user: number): void {
      const others = ends().filter(([who, at]) => who !== user && at);
      const lines = [...others, [user, Date.now()]].slice(-MOST_ENDS);
      ended.write(lines.map((line) => line.join(' ')).join('\n'));
    },
    /** Whether the user signed out in another tab after this tab signed in. */
    hasEnded(user: number): boolean {
      const [, at = 0] = ends().find(([who]) => who === user) ?? [];
      return at > Number(since.read() ?? Number.POSITIVE_INFINITY);
    },
  };
}

const ask = (event: Event): void => event.preventDefault();

export function warnBeforeLeaving(isNeeded: boolean): void {
  // Only while needed: some browsers exclude pages with this listener from the back/forward cache.
  if (isNeeded) addEventListener('beforeunload', ask);
  else removeEventListener('beforeunload', ask);
}

/** Messages between tabs. `user` is the number of the user's record. */
export type TabMessage =
  /** A new tab requests the key. A resumed tab sends its key, which may have been replaced. */
  | { type: 'ask'; key?: string | undefined }
  | { type: 'key'; key: string }
  /** The user renewed the key (`from` equals `to`) or replaced it. */
  | { type: 'changed'; user: number; from: string; to: string }
  /** The user signed out or was deleted in a tab with the key `by`. With `key`, only that key was revoked. */
  | { type: 'ended'; user: number; by: string; key?: string | undefined; notice: string };

/** Milliseconds that a new tab waits for the others: an imperceptible delay. */
const ANSWER_MS = 80;

/** The other tabs with the console; none if the browser blocks sharing between tabs. */
export function openTabs(name: string, onMessage: (message: TabMessage) => void) {
  let channel: BroadcastChannel | undefined;
  try {
    channel = new BroadcastChannel(name);
  } catch {
    // Thrown if the browser blocks the storage of sites.
  }
  let onKey: ((key: string) => void) | undefined;
  channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    // A page of another release may send anything.
    if (data?.type === 'key') {
      if (typeof data.key === 'string') onKey?.(data.key);
    } else if (data) onMessage(data);
  });
  const send = (message: TabMessage): void => channel?.postMessage(message);

  return {
    send,

    /** The key of another signed-in tab; undefined without an immediate answer. */
    ask(): Promise<string | undefined> {
      if (!channel) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        onKey = resolve;
        setTimeout(() => resolve(undefined), ANSWER_MS);
        send({ type: 'ask' });
      });
    },
  };
}
