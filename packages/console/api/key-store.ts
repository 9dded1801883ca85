import { openStored } from '../../pages/session/storage.ts';

const MAX_ENDS = 20;

/** Stores the key for this tab and, on request, this device. Services can share a host, so names contain the path. */
export function openKeyStore(path: string) {
  const ofTab = openStored('sessionStorage', `quotient:key:${path}`);
  const ofDevice = openStored('localStorage', `quotient:key:${path}`);
  const since = openStored('sessionStorage', `quotient:since:${path}`);
  const unsaved = openStored('sessionStorage', `quotient:unsaved:${path}`);
  /** The latest sign-outs on this device, for tabs that were suspended. One line `<user> <Unix ms>` per user. */
  const ended = openStored('localStorage', `quotient:ended:${path}`);
  const ends = () => (ended.read() ?? '').split('\n').map((line) => line.split(' ').map(Number));

  let kept: string | undefined;

  return {
    tabKey: ofTab.read,
    deviceKey: ofDevice.read,
    isUnsaved: () => unsaved.read() !== undefined,

    /** Stores the key. The time of the sign-in does not change if the key is already stored. */
    keep(key: string): void {
      if (ofTab.read() !== key) {
        ofTab.write(key);
        since.write(String(Date.now()));
      }
      kept = ofTab.read();
    },
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
      const others = ends().filter(([id, at]) => id !== user && at);
      const lines = [...others, [user, Date.now()]].slice(-MAX_ENDS);
      ended.write(lines.map((line) => line.join(' ')).join('\n'));
    },
    /** Whether the user signed out in another tab after this tab signed in. */
    hasEnded(user: number): boolean {
      const [, at = 0] = ends().find(([id]) => id === user) ?? [];
      return at > Number(since.read() ?? Number.POSITIVE_INFINITY);
    },
  };
}

const preventLeaving = (event: Event): void => event.preventDefault();

export function warnBeforeLeaving(isNeeded: boolean): void {
  // Some browsers exclude pages with this listener from the back/forward cache, so it is added only while needed.
  if (isNeeded) addEventListener('beforeunload', preventLeaving);
  else removeEventListener('beforeunload', preventLeaving);
}

/** `user` is the number of the user record. */
export type TabMessage =
  /** A new tab requests the key. A resumed tab sends its key to find out whether it has been replaced. */
  | { type: 'ask'; key?: string | undefined }
  | { type: 'key'; key: string }
  /** The user renewed the key (`from` equals `to`) or replaced it. */
  | { type: 'changed'; user: number; from: string; to: string }
  /** The user signed out or was deleted in a tab with the key `by`. With `key`, only the sessions of that key end. */
  | { type: 'ended'; user: number; by: string; key?: string | undefined; notice: string };

/** How long a new tab waits for other tabs to respond, in ms. Users do not notice this delay. */
const RESPONSE_MS = 250;

/** Connects the console's tabs. If the browser blocks messages between tabs, each tab works on its own. */
export function openTabs(name: string, onMessage: (message: TabMessage) => void) {
  let channel: BroadcastChannel | undefined;
  try {
    channel = new BroadcastChannel(name);
  } catch {
    // The browser blocks site storage.
  }
  let onKey: ((key: string) => void) | undefined;
  channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    // A tab with another release of the console may send messages in another format.
    if (data?.type === 'key') {
      if (typeof data.key === 'string') onKey?.(data.key);
    } else if (data) onMessage(data);
  });
  const send = (message: TabMessage): void => channel?.postMessage(message);

  return {
    send,

    /** Requests the key from another signed-in tab. Resolves to undefined if no tab responds in time. */
    requestKey(): Promise<string | undefined> {
      if (!channel) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        onKey = resolve;
        setTimeout(() => resolve(undefined), RESPONSE_MS);
        send({ type: 'ask' });
      });
    },
  };
}
