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
