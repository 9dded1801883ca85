import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { parseNetworks } from '#core/forms/network-address';
import { createWebhookSender, type WebhookFailure } from '#notifications/channels/webhook/webhook';
import { startNameServer } from '../../support/webhook/name-server.ts';
import { startReceiver } from '../../support/webhook/receiver.ts';

const open: { close: () => Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
async function kept<One extends { close: () => Promise<unknown> }>(starting: Promise<One>): Promise<One> {
  const one = await starting;
  open.push(one);
  return one;
}

const LOOPBACK = parseNetworks('127.0.0.1');
const allowing = (options: Partial<Parameters<typeof createWebhookSender>[0]> = {}) =>
  createWebhookSender({ allowed: LOOPBACK, ...options });
const failure = (posting: Promise<unknown>): Promise<WebhookFailure> =>
  posting.then(
    () => expect.fail('the webhook was accepted'),
    (error) => error,
  );
const HEADERS = { 'webhook-id': 'msg' };
/** Without a response, a webhook fails only at its deadline. */
const SOON = { deadlineMs: 500 };

describe('a webhook', () => {
  test('is one POST with the headers and the body, and accepts any 2xx response', async () => {
    const receiver = await kept(
      startReceiver((_, response) => void response.writeHead(202).end('x'.repeat(10_000_000))),
    );
    await allowing().post(`${receiver.url}?a=b`, '{"a":1}', HEADERS);
    expect(receiver.deliveries).toMatchObject([
      { body: '{"a":1}', headers: { ...HEADERS, 'content-type': 'application/json' } },
    ]);
  });

  test('does not wait for the end of a response, and closes its connection', async () => {
    const closed = Promise.withResolvers<void>();
    const receiver = await kept(
      startReceiver((_, response) => {
        response.writeHead(200).write('first chunk');
        response.once('close', closed.resolve);
        return undefined;
      }),
    );
    expect(await allowing({ deadlineMs: 60_000 }).post(receiver.url, '{}', HEADERS)).toBe(200);
    await closed.promise;
  });

  test.each([301, 302, 307, 308])(
    'is not accepted if the receiver redirects (%i), and is not sent to the target',
    async (status) => {
      const other = await kept(startReceiver());
      const receiver = await kept(
        startReceiver((_, response) => void response.writeHead(status, { location: other.url }).end()),
      );
      const { message, isGone } = await failure(allowing().post(receiver.url, '{}', HEADERS));
      expect([message, isGone, other.deliveries]).toEqual([`status ${status}`, false, []]);
    },
  );

  test('has ended with 410', async () => {
    const receiver = await kept(startReceiver(() => 410));
    expect(await failure(allowing().post(receiver.url, '{}', HEADERS))).toMatchObject({ isGone: true });
  });

  test('has a deadline, even if the receiver is silent or sends its header byte by byte', async () => {
    const silent = await kept(startReceiver(() => undefined));
    const dripping = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('a: b\r\n'), 20);
      socket.once('close', () => clearInterval(timer));
    }).listen(0, '127.0.0.1');
    await once(dripping, 'listening');
    const { port } = dripping.address() as { port: number };
    const sender = allowing({ deadlineMs: 300 });
    for (const url of [silent.url, `http://127.0.0.1:${port}/`]) {
      expect((await failure(sender.post(url, '{}', HEADERS))).message).toMatch(/^no response within/);
    }
    dripping.close();
  });

  test.each([
    [10, undefined],
    [Number.POSITIVE_INFINITY, 'more than 10 interim responses (1xx)'],
  ])('accepts %s interim responses: %s', async (count, message) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).resume();
      let left = count;
      const writeHead = () => {
        while (left > 0 && !socket.destroyed) {
          left -= 1;
          if (!socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')) return;
        }
        if (!socket.destroyed) socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      };
      socket.on('drain', writeHead);
      writeHead();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const posting = allowing({ deadlineMs: 2_000 }).post(`http://127.0.0.1:${port}/`, '{}', HEADERS);
    expect(
      await posting.then(
        () => undefined,
        (error: WebhookFailure) => error.message,
      ),
    ).toBe(message);
    server.close();
  });

  test('has a deadline for a name that no server resolves', async () => {
    const names = await kept(startNameServer(() => undefined));
    const sender = allowing({ deadlineMs: 300, nameServers: [names.at] });
    expect((await failure(sender.post('https://example.org/', '{}', HEADERS))).message).toMatch(/^no response within/);
  });
});

const REFUSED = 'refused: not a public address; allow it with WEBHOOK_ALLOW';

describe('a connection', () => {
  const WITHOUT = { allowed: [], ...SOON };

  test.each(['127.0.0.1', '[::1]', '0x7f.1', 'localhost', '[::ffff:127.0.0.1]', '0', '169.254.169.254'])(
    'to %s is rejected',
    async (host) => {
      const receiver = await kept(startReceiver());
      const url = `https://${host}:${receiver.port}/`;
      const { message } = await failure(createWebhookSender(WITHOUT).post(url, '{}', HEADERS));
      expect([message, receiver.deliveries]).toEqual([REFUSED, []]);
    },
  );

  test.each([['127.0.0.1'], ['10.0.0.1', '::1'], ['::ffff:7f00:1'], ['fe80::1', '169.254.169.254']])(
    'to a name that resolves to %s is rejected',
    async (...addresses) => {
      const names = await kept(startNameServer(() => addresses));
      const sender = createWebhookSender({ ...WITHOUT, nameServers: [names.at] });
      const { message } = await failure(sender.post('https://example.org/', '{}', HEADERS));
      expect(message).toBe(REFUSED);
    },
  );

  test('uses the checked address, even if the name resolves differently the next time', async () => {
    const receiver = await kept(startReceiver());
    const queries: string[] = [];
    const names = await kept(
      startNameServer((name) => {
        queries.push(name);
        // Both queries of one look-up (IPv4 and IPv6) get the first answer.
        return queries.length <= 2 ? ['127.0.0.1'] : ['127.0.0.2'];
      }),
    );
    await allowing({ nameServers: [names.at] }).post(`http://hook.example:${receiver.port}/`, '{}', HEADERS);
    expect([receiver.deliveries.length, queries.length]).toEqual([1, 2]);
    const { message } = await failure(
      allowing({ nameServers: [names.at], ...SOON }).post(`http://hook.example:${receiver.port}/`, '{}', HEADERS),
    );
    expect([message, receiver.deliveries.length]).toEqual([REFUSED, 1]);
  });

  test('uses only the allowed addresses of a name with several', async () => {
    const receiver = await kept(startReceiver());
    const names = await kept(startNameServer(() => ['127.0.0.2', '127.0.0.1', '::1']));
    await allowing({ nameServers: [names.at] }).post(`http://hook.example:${receiver.port}/`, '{}', HEADERS);
    expect(receiver.deliveries[0]?.headers.host).toBe(`hook.example:${receiver.port}`);
  });

  test('without TLS does not use a public address', async () => {
    const names = await kept(startNameServer(() => ['8.8.8.8']));
    const sender = allowing({ nameServers: [names.at], ...SOON });
    const { message } = await failure(sender.post('http://example.org/', '{}', HEADERS));
    expect(message).toBe(REFUSED);
  });

  test('that fails is reported at the deadline, so the time does not reveal the cause', async () => {
    const names = await kept(startNameServer((name) => (name.startsWith('none') ? [] : ['127.0.0.2'])));
    const stopped = await startReceiver();
    await stopped.close();
    const sender = allowing({ nameServers: [names.at], ...SOON });
    for (const url of [stopped.url, 'http://none.example/', 'http://other.example/', 'http://10.0.0.1/']) {
      // This timer started before the timer of the webhook, so it also ends before.
      const deadline = AbortSignal.timeout(SOON.deadlineMs);
      const { message } = await failure(sender.post(url, '{}', HEADERS));
      expect([url, deadline.aborted]).toEqual([url, true]);
      expect(message).toMatch(/^(no connection|refused): /);
    }
  });

  test('with a response fails immediately', async () => {
    const receiver = await kept(startReceiver(() => 503));
    const deadline = AbortSignal.timeout(60_000);
    expect(await failure(allowing({ deadlineMs: 60_000 }).post(receiver.url, '{}', HEADERS))).toMatchObject({
      status: 503,
      isGone: false,
    });
    expect(deadline.aborted).toBe(false);
  });
});
