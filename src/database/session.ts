import type pg from 'pg';
import type { Reach } from './connection/client.ts';
import type { Session } from './deadline.ts';
import type { EmbeddedPlace } from './embedded.ts';
import { connect, sessionOn } from './pool.ts';

export type Place = { url: string } | { dataDir: string };
/** `name` is the place without a password. `isShared` means that another process serves the embedded database. */
export type OpenSession = { session: Session; name: string; isShared: boolean; close(): Promise<void> };
/** Differs from the name that serving processes use, because `isInUse` counts their sessions. */
const APPLICATION = 'quotient database';

/** Opens one connection without migrating. Locks an embedded database, or with `isShared` joins the locking process. */
export async function openSession(place: Place, isShared = false): Promise<OpenSession> {
  const reached = await reach('url' in place ? place : { ...place, isShared });
  const name = 'url' in place ? undefined : place.dataDir;
  try {
    const client = await connect({ ...reached.config, application_name: APPLICATION }, name);
    return {
      session: sessionOn(client),
      name: name ?? nameOf(client, reached.config),
      isShared: reached.isShared,
      close: () => client.end().finally(reached.close),
    };
  } catch (error) {
    await reached.close();
    throw error;
  }
}

const nameOf = ({ host, port, database }: pg.Client, { schema }: Reach) =>
  `${host}:${port}/${database}${schema === undefined ? '' : `, schema ${schema}`}`;

type Reached = {
  config: Reach;
  isShared: boolean;
  guard: () => void;
  close: () => Promise<void>;
};

/** The modules are imported dynamically, because each takes megabytes. Throws the same errors as `openDatabase`. */
export async function reach(place: { url: string } | EmbeddedPlace): Promise<Reached> {
  if (!('url' in place)) return (await import('./embedded.ts')).reachEmbedded(place);
  const config = (await import('./connection/server.ts')).serverConfig(place.url);
  return { config, isShared: false, guard: () => undefined, close: async () => undefined };
}
