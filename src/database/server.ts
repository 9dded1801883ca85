import pg from 'pg';
import type { Clock } from '#core/clock';
import { COMMON, openPool } from './pool.ts';

// No `@`, `/`, `?` or `#` but as a separator: with one of them unescaped in a password, part of the password
// would be taken for the host's name, and shown.
const SERVER_URL = /^postgres(?:ql)?:\/\/(?:[^@/?#]*@)?[^@/?#]*(?:\/[^@?#]*)?(?:\?[^@#]*)?$/;

/**
 * Connections to a server, brought up to this release's migrations. Throws as `openDatabase` tells.
 * @param statementMs how long a statement may take, those of the migrations apart; as long as it takes where left out
 */
export async function openServer(url: string, poolSize: number, clock: Clock, statementMs?: number) {
  const config = serverConfig(url);
  return { kind: 'server' as const, ...(await openPool({ config, clock, poolSize, statementMs })) };
}

/** What a client of `pg` is to be told of a server. Throws as `openDatabase` does where the URL is none. */
export function serverConfig(url: string): pg.ClientConfig {
  const config = { ...COMMON, connectionString: url };
  if (!SERVER_URL.test(url)) throw malformedUrl();
  try {
    new pg.Client(config);
  } catch {
    throw malformedUrl(); // without the cause, which holds the URL
  }
  return config;
}

function malformedUrl() {
  const message =
    'DATABASE_URL is not of the form postgresql://user:password@host:port/database; special characters in it must ' +
    'be percent-encoded';
  return Object.assign(new Error(message), { code: 'MALFORMED_URL' });
}
