import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const STREAMS = 20;

/** Opens streams, and counts the objects of their requests that are still in memory. */
const script = `
  import { once } from 'node:events';
  import { connect } from 'node:net';
  import { setTimeout as wait } from 'node:timers/promises';
  import Fastify from 'fastify';
  import { systemClock } from '#core/clock';
  import { createCorsHeaders } from '#server/cross-origin';
  import { newStreamFigures } from '#server/responses/event-stream';
  import { createOpenStreams } from '#server/responses/open-streams';

  const figures = newStreamFigures();
  const streams = createOpenStreams({
    gate: { hold: () => ({ check: () => undefined, charge: async () => undefined }), takeReceipt: () => undefined, book: () => [] },
    corsHeaders: createCorsHeaders([]),
    clock: systemClock,
    basePath: '',
    figures,
    log: { failed: () => undefined },
  });
  const objects = [];
  const app = Fastify();
  app.decorateRequest('user', 0);
  app.addHook('onResponse', (request, reply, done) => done());
  app.get('/:user', (request, reply) => {
    request.user = Number(request.params.user);
    objects.push(...[request, reply, request.raw, reply.raw].map((one) => new WeakRef(one)));
    return streams.respond(request, reply, 1, async () => () => () => undefined);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  for (let user = 0; user < ${STREAMS}; user++) {
    const socket = connect(app.server.address().port, '127.0.0.1');
    socket.write('GET /' + user + ' HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n');
    await once(socket, 'data');
  }
  const left = () => objects.filter((one) => one.deref() !== undefined).length;
  for (let tries = 0; tries < 20 && left() > 0; tries++) {
    await wait(10);
    gc();
  }
  console.log(JSON.stringify({ open: figures.open, objects: objects.length, left: left() }));
  process.exit();`;

it('an open stream keeps no object of its request in memory', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--expose-gc', '--input-type=module', '-e'],
    script,
  ]);
  expect(JSON.parse(stdout)).toEqual({ open: STREAMS, objects: 4 * STREAMS, left: 0 });
});
