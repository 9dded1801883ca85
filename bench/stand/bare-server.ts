/** The baseline: Fastify with one route that sends a body from a file, and optional headers. */
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

const bytes = readFileSync(process.env.BODY_FILE ?? '');
// A small body is faster as text, because Node sends it in one write with the headers.
const body = bytes.length < 1024 ? bytes.toString() : bytes;
const headers = JSON.parse(process.env.HEADERS ?? '{}') as Record<string, string>;

const app = Fastify();
app.get('/', (_request, reply) => reply.headers(headers).send(body));
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.on('SIGTERM', () => app.close());
