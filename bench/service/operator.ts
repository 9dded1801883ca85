import type { AddressInfo } from 'node:net';
import { buildAdminApp } from '#admin-app';
import { openDatabase } from '#database/database';
import { openLog } from '#open';
import { startSandbox } from '#sandbox/server';
import { readSettings } from '#settings';
import { openParts } from '../../fixtures/parts.ts';
import { atMost, type Figure, quantile, seen } from '../measuring/table.ts';
import { execute, makeDatabase } from '../stand/database.ts';
import type { Environment } from '../stand/environment.ts';

const USERS = 100_000;
const DAYS = 10;
const REQUESTS = 40;
const TOKEN = 'a-token-of-the-benchmark-with-more-than-32-characters';
/** The time within which an operator's request must be answered, in ms (p95). */
const BAR = 100;

/** Names are made of 400 first and 1,000 last names, so that words have many and few matches. */
const FILL = `
  INSERT INTO "user" (name, email, plan, "limit", anchor, created_at, valid_until, updated_at, changed_at)
  SELECT 'First' || n % 400 || ' Last' || n % 1000, 'user' || n || '@host' || n % 50 || '.example',
    CASE WHEN n % 5 = 0 THEN 'yearly' ELSE 'monthly' END::plan, 10000, at, at, at + interval '1 year', at, at
  FROM generate_series(1, ${USERS}) AS n,
    LATERAL (SELECT date_trunc('milliseconds', now()) - make_interval(mins => 60 + n % 40000) AS at) t;
  INSERT INTO api_key (hash, user_key, start, created_at)
  SELECT sha256(key::text::bytea), key, 'qt_' || substr(md5(key::text), 1, 4), created_at FROM "user";
  INSERT INTO usage (user_key, period_start, used) SELECT key, anchor, key * 7919 % 10000 FROM "user";
  INSERT INTO usage_day (user_key, date, calls)
  SELECT key, current_date - d, 1 + key * 31 % 500 FROM "user", generate_series(0, ${DAYS - 1}) AS d;
  INSERT INTO audit_event (at, actor, action, target, user_key, after)
  SELECT now() - make_interval(secs => n), 'admin', 'user.limit', 'user:' || n % 1000, n % 1000, '{"limit": 1}'
  FROM generate_series(1, 100000) AS n`;

/** Requests with different values, so that no two are the same. */
const REQUEST: Record<string, (n: number) => string> = {
  'search for an email address': (n) => `users?query=user${n * 997}%40`,
  'search for the start of an email address, with many matches': (n) => `users?query=user${n % 10}`,
  'search for a word of a name': (n) => `users?query=last${(n * 37) % 1000}`,
  'search for a word of a name, with many matches': (n) => `users?query=first${n % 10}`,
  'search for the start of a key': (n) => `users?query=qt_${(n * 4099).toString(16).padStart(4, '0').slice(-4)}`,
  'search without a match': (n) => `users?query=zz${n}`,
  'sort by creation': (n) => `users?limit=100&state=${n % 2 ? 'active' : 'suspended'}`,
  'sort by calls of the period': (n) => `users?sort=usage&limit=${60 + (n % 40)}`,
  'sort by calls of the last hour': (n) => `users?sort=lastHour&limit=${60 + (n % 40)}`,
  'search, sorted by calls of the period': (n) => `users?sort=usage&query=first${(n * 7) % 400}`,
  'one user': (n) => `users/${n * 991}`,
  'audit log of a user': (n) => `audit?user=${n}&limit=100`,
};

/** Measures the operator's searches in a database with a hundred thousand users and a million days of usage. */
export async function measure({ databaseServer }: Environment): Promise<Figure[]> {
  if (databaseServer === undefined) {
    console.error('The operator API is skipped: it is measured with a PostgreSQL server.');
    return [];
  }
  const made = await makeDatabase(databaseServer);
  const database = await openDatabase({ url: made.url, dataDir: 'unused' });
  for (const statement of FILL.split(';\n')) await execute(made.url, statement);
  await execute(made.url, 'ANALYZE');
  const sandbox = await startSandbox();
  const settings = readSettings({
    DATABASE_URL: made.url,
    COINGECKO_URL: sandbox.coingeckoUrl,
    KRAKEN_URL: sandbox.krakenUrl,
    ADMIN_PORT: '0',
    ADMIN_TOKEN: TOKEN,
  });
  const parts = await openParts(settings, { logger: openLog('silent'), database });
  const { admin } = parts.operator;
  if (!admin) throw new Error('the operator API is off');
  const startedAt = performance.now();
  await admin.updateActivity();
  const first = performance.now() - startedAt;
  const againAt = performance.now();
  await admin.updateActivity();
  const again = performance.now() - againAt;
  await execute(made.url, 'ANALYZE user_activity');
  const app = await buildAdminApp({ ...parts, services: admin });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/admin/v1`;

  async function time(path: string): Promise<number> {
    const at = performance.now();
    const response = await fetch(`${url}/${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    return performance.now() - at;
  }

  const figures: Figure[] = [];
  for (const [name, pathOf] of Object.entries(REQUEST)) {
    await time(pathOf(REQUESTS + 1));
    const times: number[] = [];
    for (let n = 1; n <= REQUESTS; n++) times.push(await time(pathOf(n)));
    figures.push(atMost(`100,000 users: ${name}, p95`, quantile(times, 0.95), BAR, 'ms'));
  }
  figures.push(seen('… first summary of the calls', `${(first / 1000).toFixed(2)} s`));
  figures.push(seen('… its update without new calls', `${again.toFixed(0)} ms`));
  await app.close();
  await parts.close();
  await database.close();
  await sandbox.close();
  await made.drop();
  return figures;
}
