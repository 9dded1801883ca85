/** The baseline: a proxy of Fastify and undici that passes each body to a node and each response back. */
import Fastify from 'fastify';
import { Pool } from 'undici';

const node = new Pool(process.env.NODE_URL ?? '', { connections: 64 });
const app = Fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.post('/', async (request, reply) => {
  const headers = { 'content-type': 'application/json' };
  const response = await node.request({ path: '/', method: 'POST', headers, body: request.body as Buffer });
  const body = Buffer.from(await response.body.arrayBuffer());
  return reply.code(response.statusCode).headers(headers).send(body);
});
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.on('SIGTERM', () => app.close());
