import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type MailingService, startMailingService } from '../../support/mail/mailing-service.ts';

/*
 * No response reveals whether an address is registered, neither by its content nor by its duration. The duration
 * depends on the work done before the response.
 */

let service: MailingService;
beforeAll(async () => {
  // The mail server is unavailable. Its state must not reveal addresses either.
  service = await startMailingService({ mailServer: { refuse: () => ({ reply: '451 4.3.0 away' }) } });
});
afterAll(() => service?.close());

/** Set while a request is handled, so that the statements of background work are not counted. */
const handling = new AsyncLocalStorage<true>();
const enter = () => handling.enterWith(true);
subscribe('http.server.request.start', enter);
afterAll(() => void unsubscribe('http.server.request.start', enter));

const post = async (path: string, body: object) => {
  const response = await service.post(path, body);
  const { 'x-request-id': _, date: __, ...headers } = Object.fromEntries(response.headers);
  const text = (await response.text()).replace(/"requestId":"[^"]*"/, '');
  return { status: response.status, headers, text };
};

test('no response reveals whether an address is registered', async () => {
  const responses: unknown[] = [];
  for (let i = 0; i < 3; i++) {
    await service.user(`known${i}@example.org`);
    for (const name of ['known', 'other']) {
      responses.push(await post('/v1/user/recover', { email: `${name}${i}@example.org` }));
      // Repeats the request while the previous one is in progress, and after it has failed.
      responses.push(await post('/v1/user/recover', { email: `${name}${i}@example.org` }));
      await service.mail.outbox.deliverDue();
      responses.push(await post('/v1/user/recover', { email: `${name}${i}@example.org` }));
    }
  }
  expect(service.server.refused()).toBe(3);
  for (const response of responses) expect(response).toEqual(responses[0]);
  // A warning names no address, and the time of the last email is not published.
  for (const path of ['/health/ready', '/status'])
    expect(await (await service.get(path)).text()).not.toMatch(/known|other|example\.org|451/);
  const status = await service.get('/status', { headers: { accept: 'application/json' } });
  const { components } = (await status.json()) as { components: { name: string; dataAt: string | null }[] };
  expect(components.find(({ name }) => name === 'mail')).toMatchObject({ dataAt: null });
});

test('nor does the work before the response: the same statements run, with values of the same length', async () => {
  // Work after the response and the check for notices are disabled, so that they are not counted.
  await service.mail.close();
  const statements: { text: string; lengths: number[] }[] = [];
  const query = pg.Client.prototype.query;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [first] = args as [string | { text: string; values?: unknown[] }];
    const { text, values = (args[1] as unknown[]) ?? [] } = typeof first === 'string' ? { text: first } : first;
    const lengths = values.map((value) => JSON.stringify(value ?? null).length);
    if (handling.getStore()) statements.push({ text, lengths });
    return (query as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof query);

  async function statementsOf(email: string) {
    statements.length = 0;
    expect((await post('/v1/user/recover', { email })).status).toBe(202);
    return [...statements];
  }
  for (let i = 0; i < 3; i++) {
    await service.user(`kent${i}@example.org`);
    const known = await statementsOf(`kent${i}@example.org`);
    const unknown = await statementsOf(`lane${i}@example.org`);
    expect(known).toHaveLength(1);
    expect(known[0]?.text).toContain('mail_allowance');
    expect(unknown).toEqual(known);
    expect(await statementsOf(`kent${i}@example.org`)).toHaveLength(1);
  }
});
