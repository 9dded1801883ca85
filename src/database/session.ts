import { connect, sessionOn } from './pool.ts';
import { reach } from './reach.ts';
import type { Session } from './transaction.ts';

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
