import type { Session } from './deadline.ts';
import type { EmbeddedPlace } from './embedded.ts';
import { connect, type Reach, sessionOn } from './pool.ts';

/** Where a database is: on a server, or embedded in a directory. */
export type Place = { url: string } | { dataDir: string };

/**
 * One connection below Prisma; `name` tells people where it is, without a password. `isShared` of an embedded database
 * that another process has, which answers for it.
 */
export type OpenSession = { session: Session; name: string; isShared: boolean; close(): Promise<void> };

/** Not that of a process that serves: these are told from others by the name. */
const APPLICATION = 'quotient database';

/**
 * One connection to a database as it is: nothing is migrated. An embedded one is made if need be, and taken for this
 * process until it is closed. Throws as `openDatabase` does.
 * @param isShared whether a directory that another process has is reached through that process
 */
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
