import type { EmbeddedPlace } from './embedded.ts';
import type { Reach } from './pool.ts';

type Reached = {
  config: Reach;
  /** Whether another process has the embedded database, and answers for it. */
  isShared: boolean;
  /** From now on the thread of an embedded database is ended if it hangs. */
  guard: () => void;
  /** Lets the place go, after all clients have ended. */
  close: () => Promise<void>;
};

/**
 * The way for clients of `pg` to the database of a place. Only one of the two is loaded: the other would be megabytes that
 * nobody uses. Throws as `openDatabase` does.
 */
export async function reach(place: { url: string } | EmbeddedPlace): Promise<Reached> {
  if (!('url' in place)) return (await import('./embedded.ts')).reachEmbedded(place);
  const config = (await import('./server.ts')).serverConfig(place.url);
  return { config, isShared: false, guard: () => undefined, close: async () => undefined };
}
