import type { Session } from './migrations.ts';
import { connect, sessionOn } from './pool.ts';

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
  const reached =
    'url' in place ? await reachServer(place.url) : await reachDirectory(place.dataDir, isShared);
  try {
    const client = await connect({ ...reached.config, application_name: APPLICATION }, reached.name);
    return {
      session: sessionOn(client),
      name: reached.name ?? `${client.host}:${client.port}/${client.database}`,
      isShared: reached.isShared,
      close: () => client.end().finally(reached.close),
    };
  } catch (error) {
    await reached.close();
    throw error;
  }
}

// Only one of them is loaded, as in `openDatabase`.
async function reachServer(url: string) {
  const { serverConfig } = await import('./server.ts');
  return { config: serverConfig(url), name: undefined, isShared: false, close: async () => undefined };
}

async function reachDirectory(dataDir: string, isShared: boolean) {
  const { reachEmbedded } = await import('./embedded.ts');
  return { ...(await reachEmbedded({ dataDir, isShared })), name: dataDir };
}
