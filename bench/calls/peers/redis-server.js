/**
 * A server as a team would build it with Redis: each call looks up its key in a hash, and `@fastify/rate-limit` counts
 * the calls of the key. `KEYS_FILE` has a line with each key and its limit.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import { Redis } from 'ioredis';

const body = readFileSync(process.env.BODY_FILE ?? '', 'utf8');
const lines = readFileSync(process.env.KEYS_FILE ?? '', 'utf8')
  .trim()
  .split('\n');
const MONTH_MS = 30 * 24 * 60 * 60 * 1000;

const redis = new Redis(process.env.REDIS_URL ?? '');
const entryOf = (/** @type {string} */ key) => `key:${hash('sha256', key)}`;
const pipeline = redis.pipeline();
for (const [user, line] of lines.entries()) {
  const [key = '', limit = ''] = line.split(' ');
  pipeline.hset(entryOf(key), 'user', user, 'limit', limit);
}
await pipeline.exec();

const app = Fastify();
app.decorateRequest('account');
app.addHook('onRequest', async (request, reply) => {
  const [user, limit] = await redis.hmget(entryOf(String(request.headers['x-api-key'])), 'user', 'limit');
  if (user === null) return reply.code(401).send();
  request.account = { user, limit: Number(limit) };
});
await app.register(rateLimit, {
  redis,
  hook: 'preHandler',
  timeWindow: MONTH_MS,
  keyGenerator: ({ account }) => account.user,
  max: ({ account }) => account.limit,
});
app.get('/', (_request, reply) => reply.type('application/json; charset=utf-8').send(body));
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.on('SIGTERM', async () => {
  await app.close();
  redis.disconnect();
});
