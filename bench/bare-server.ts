/** Fastify with one route that sends a body from a file, and headers if there are any: what there is to compare with. */
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

const bytes = readFileSync(process.env.BODY_FILE ?? '');
// A small body goes out as text, in one write with its headers: the quicker way, also here.
const body = bytes.length < 1024 ? bytes.toString() : bytes;
const headers = JSON.parse(process.env.HEADERS ?? '{}') as Record<string, string>;

const app = Fastify();
app.get('/', (_request, reply) => reply.headers(headers).send(body));
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.on('SIGTERM', () => app.close());
