import { openStored } from '../core/storage.ts';

const MOST_ENDS = 20;

/** Keeps the key in this tab, and on this device on request. Two services can share a host, at different paths. */
export function openKeyStore(path: string) {
  const ofTab = openStored('sessionStorage', `quotient:key:${path}`);
  const ofDevice = openStored('localStorage', `quotient:key:${path}`);
  const since = openStored('sessionStorage', `quotient:since:${path}`);
  /** There while the key of this tab is a new one that the user has not saved yet. */
  const unsaved = openStored('sessionStorage', `quotient:unsaved:${path}`);
  /** Who signed out on this device, and when, for tabs that could not be told: `<user> <Unix ms>` in each line. */
  const ended = openStored('localStorage', `quotient:ended:${path}`);
  const ends = () => (ended.read() ?? '').split('\n').map((line) => line.split(' ').map(Number));

  /** The key of this tab as it was kept, if it could be. */
  let kept: string | undefined;

  return {
    tabKey: ofTab.read,
    deviceKey: ofDevice.read,
    isUnsaved: () => unsaved.read() !== undefined,

    /** Keeps the key of this tab. One that it has already keeps its age. */
    keep(key: string): void {
      if (ofTab.read() !== key) {
        ofTab.write(key);
        since.write(String(Date.now()));
      }
      kept = ofTab.read();
    },
    /** Whether another page of this tab has changed what was kept. */
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

    /** Notes for tabs that are asleep that a user has signed out. */
    noteEnd(user: number): void {
      const others = ends().filter(([who, at]) => who !== user && at);
      const lines = [...others, [user, Date.now()]].slice(-MOST_ENDS);
      ended.write(lines.map((line) => line.join(' ')).join('\n'));
    },
    /** Whether a user signed out in another tab after this one signed in. */
    hasEnded(user: number): boolean {
      const [, at = 0] = ends().find(([who]) => who === user) ?? [];
      return at > Number(since.read() ?? Number.POSITIVE_INFINITY);
    },
  };
}

const ask = (event: Event): void => event.preventDefault();

/** Has the browser ask before the page is left, or not any more: for a key that is shown once and not saved yet. */
export function warnBeforeLeaving(isNeeded: boolean): void {
  // Only while it is needed: some browsers keep no page for the back button that listens.
  if (isNeeded) addEventListener('beforeunload', ask);
  else removeEventListener('beforeunload', ask);
}

/** What tabs of one browser tell each other. `user` is the number of the user's record. */
export type TabMessage =
  /** A new tab asks for the key; one that was away names the key it has, which may have been replaced. */
  | { type: 'ask'; key?: string | undefined }
  | { type: 'key'; key: string }
  /** The user renewed the key (`from` and `to` are the same) or replaced it. */
  | { type: 'changed'; user: number; from: string; to: string }
  /** The user signed out or was deleted, in a tab with the key `by`; with `key`, that key alone was revoked. */
  | { type: 'ended'; user: number; by: string; key?: string | undefined; notice: string };

/** How long a new tab waits for the others, in ms. Nobody notices so short a delay. */
const ANSWER_MS = 80;

/** The other tabs of this browser in which the console is open; none where the browser lets tabs share nothing. */
export function openTabs(name: string, onMessage: (message: TabMessage) => void) {
  let channel: BroadcastChannel | undefined;
  try {
    channel = new BroadcastChannel(name);
  } catch {
    // The browser blocks what sites store, and with it what their tabs share.
  }
  let onKey: ((key: string) => void) | undefined;
  channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    // A page of another release, or of another maker, may send anything.
    if (data?.type === 'key') {
      if (typeof data.key === 'string') onKey?.(data.key);
    } else if (data) onMessage(data);
  });
  const send = (message: TabMessage): void => channel?.postMessage(message);

  return {
    send,

    /** The key of a tab that is signed in; undefined where none answers at once. */
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
