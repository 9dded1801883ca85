/**
 * A server as a team would build it with PostgreSQL alone: one statement finds the key and counts the call. `KEYS_FILE`
 * has a line with each key and its limit.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import pg from 'pg';

const body = readFileSync(process.env.BODY_FILE ?? '', 'utf8');
const lines = readFileSync(process.env.KEYS_FILE ?? '', 'utf8')
  .trim()
  .split('\n');
const accounts = lines.map((line) => line.split(' '));
const hashOf = (/** @type {string} */ key) => hash('sha256', key, 'buffer');

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '' });
await pool.query('CREATE TABLE account (hash bytea PRIMARY KEY, used int NOT NULL DEFAULT 0, "limit" int NOT NULL)');
await pool.query('INSERT INTO account (hash, "limit") SELECT * FROM unnest($1::bytea[], $2::int[])', [
  accounts.map(([key = '']) => hashOf(key)),
  accounts.map(([, limit]) => Number(limit)),
]);
const charge = 'UPDATE account SET used = used + 1 WHERE hash = $1 AND used < "limit" RETURNING used';

const app = Fastify();
app.get('/', async (request, reply) => {
  const values = [hashOf(String(request.headers['x-api-key']))];
  const { rowCount } = await pool.query({ name: 'charge', text: charge, values });
  return rowCount === 1 ? reply.type('application/json; charset=utf-8').send(body) : reply.code(429).send();
});
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.on('SIGTERM', async () => {
  await app.close();
  await pool.end();
});
