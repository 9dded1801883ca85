import type { Session } from './deadline.ts';
import type { EmbeddedPlace } from './embedded.ts';
import { connect, type Reach, sessionOn } from './pool.ts';

export type Place = { url: string } | { dataDir: string };
/** `name` is the place without a password. `isShared`: another process has the embedded database and serves it. */
export type OpenSession = { session: Session; name: string; isShared: boolean; close(): Promise<void> };
/** Differs from the name of a serving process, which `isInUse` counts. */
const APPLICATION = 'quotient database';

/** Opens one connection without migrating. Locks an embedded database, unless `isShared` and another process has it. */
export async function openSession(place: Place, isShared = false): Promise<OpenSession> {
  const reached = await reach('url' in place ? place : { ...place, isShared });
  const name = 'url' in place ? undefined : place.dataDir;
  try {
    const client = await connect({ ...reached.config, application_name: APPLICATION }, name);
    return {
      session: sessionOn(client),
      name: name ?? `${client.host}:${client.port}/${client.database}`,
      isShared: reached.isShared,
      close: () => client.end().finally(reached.close),
    };
  } catch (error) {
    await reached.close();
    throw error;
  }
}

type Reached = {
  config: Reach;
  /** Whether another process has the embedded database and serves it. */
  isShared: boolean;
  /** From now on, a hanging thread of an embedded database is ended. */
  guard: () => void;
  /** Releases the place, after all clients have ended. */
  close: () => Promise<void>;
};

/** The imports are dynamic because each of the two takes megabytes. Throws as `openDatabase` does. */
export async function reach(place: { url: string } | EmbeddedPlace): Promise<Reached> {
  if (!('url' in place)) return (await import('./embedded.ts')).reachEmbedded(place);
  const config = (await import('./server.ts')).serverConfig(place.url);
  return { config, isShared: false, guard: () => undefined, close: async () => undefined };
}
