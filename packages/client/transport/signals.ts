type Followers = { stops: Set<() => void>; tell: () => void };

/** Who follows a signal. All share one listener: Node warns of a signal that has many. */
const followed = new WeakMap<AbortSignal, Followers>();

/** Calls `stop` when the signal aborts. The function that it returns ends that, and leaves nothing on the signal. */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  let followers = followed.get(signal);
  if (!followers) {
    const stops = new Set<() => void>();
    const tell = () => {
      for (const one of [...stops]) one();
    };
    followers = { stops, tell };
    followed.set(signal, followers);
  }
  const { stops, tell } = followers;
  if (stops.size === 0) signal.addEventListener('abort', tell);
  stops.add(stop);
  return () => {
    if (stops.delete(stop) && stops.size === 0) signal.removeEventListener('abort', tell);
  };
}
