import { expect, onTestFinished, test } from 'vitest';
import { MINUTE, SECOND } from '#core/clock';
import type { Fault } from '#sandbox/faults';
import { warningText } from '#upstream/freshness';
import { DAY_CHART, LATEST, startWithFaultyUpstream } from '../support/service/chaos.ts';

type Case = {
  fault: Fault | 'refused';
  cause: string;
  status: number;
  code: string;
  /** The calls of one attempt. */
  calls: number;
  timeoutMs?: number;
  retryAfter?: string;
};

const invalid = { status: 502, code: 'upstream_invalid', calls: 1 };
const unavailable = { status: 503, code: 'upstream_unavailable' };
const timeout = { cause: 'timeout', status: 504, code: 'upstream_timeout', calls: 1, timeoutMs: 400 };
const limited = { cause: 'rate_limited', ...unavailable, calls: 1 };
const ofStatus = (status: number, more: object = {}): Fault => ({ kind: 'status', status, ...more });

const CASES: [string, Case][] = [
  ['a refused connection', { fault: 'refused', cause: 'unreachable', ...unavailable, calls: 0 }],
  ['a reset connection', { fault: { kind: 'reset' }, cause: 'unreachable', ...unavailable, calls: 3 }],
  ['no response', { fault: { kind: 'hangBeforeHeaders' }, ...timeout }],
  ['one byte a second', { fault: { kind: 'slow' }, ...timeout }],
  ['a 500', { fault: ofStatus(500), cause: 'server_error', ...unavailable, calls: 3 }],
  [
    'a 429 with Retry-After',
    { fault: ofStatus(429, { headers: { 'retry-after': '90' } }), ...limited, retryAfter: '90' },
  ],
  ['a rate limit with status 200', { fault: { kind: 'rateLimitUnder200' }, ...limited }],
  [
    'an error with status 200',
    {
      fault: ofStatus(200, { body: { error: 'coin not found' } }),
      cause: 'refused',
      ...unavailable,
      calls: 1,
    },
  ],
  ['an HTML page with status 200', { fault: { kind: 'html' }, cause: 'not_json', ...invalid }],
  ['values of the wrong type', { fault: { kind: 'wrongTypes' }, cause: 'unexpected', ...invalid }],
  ['empty arrays', { fault: { kind: 'emptyChart' }, cause: 'empty', ...invalid }],
  ['a body of 200 MB', { fault: { kind: 'huge', bytes: 200 * 2 ** 20 }, cause: 'too_large', ...invalid }],
];

test.each(CASES)('%s: the response states the cause, and stored data is served with its age', async (_name, one) => {
  const { fault, cause, status, code, calls, timeoutMs, retryAfter } = one;
  const settings = timeoutMs ? { UPSTREAM_TIMEOUT_MS: String(timeoutMs) } : undefined;
  const service = await startWithFaultyUpstream({ settings });
  onTestFinished(service.close);
  const { faults, countCalls } = service.sandbox;
  const inflict = () => (fault === 'refused' ? service.gate.shut() : faults.always(fault));
  const relieve = () => (fault === 'refused' ? service.gate.reopen() : faults.clear());

  await inflict();
  const refused = await service.ask(LATEST);
  expect(refused).toMatchObject({ status, code });
  if (status === 503) expect(Number(refused.header('retry-after'))).toBeGreaterThan(0);
  if (retryAfter) expect(refused.header('retry-after')).toBe(retryAfter);
  expect(countCalls()).toBe(calls);
  for (let i = 0; i < 20; i++) expect(await service.ask(LATEST)).toMatchObject({ status, code });
  expect(countCalls(), 'the upstream is not called again').toBe(calls);

  await relieve();
  await service.pass(10 * MINUTE);
  const latest = await service.ask(LATEST);
  expect(latest).toMatchObject({ status: 200, cache: { fwd: 'miss' } });
  expect(countCalls()).toBe(calls + 1);
  // No connection remains, except that of the successful call.
  await service.gate.atMost(1);

  await service.ask(DAY_CHART);
  const made = countCalls();
  await inflict();
  await service.pass(7 * MINUTE);
  const [first] = await Promise.all([service.ask(LATEST), service.ask(LATEST), service.ask(DAY_CHART)]);
  expect(first).toMatchObject({ status: 200, body: latest.body });
  await service.parts.market.idle();
  expect(countCalls() - made).toBe(calls);

  for (let i = 0; i < 5; i++) {
    const response = await service.ask(LATEST);
    expect(response).toMatchObject({ status: 200, body: latest.body });
    expect(response.cache).toMatchObject({ cache: 'quotient', fwd: 'stale', detail: cause, ttl: -60 });
    expect(response.header('age')).toBe('420');
    const chart = await service.ask(DAY_CHART);
    // The window has moved by seven minutes without new data at its end.
    expect(chart).toMatchObject({ status: 200, cache: { fwd: 'stale', detail: cause } });
  }
  expect(countCalls() - made).toBe(calls);
  expect(service.parts.market.warnings().map(warningText)).toEqual([`latest: ${cause}`]);

  await relieve();
  await service.pass(90 * SECOND);
  await service.ask(LATEST);
  await service.parts.market.idle();
  expect(await service.ask(LATEST)).toMatchObject({ status: 200, cache: { hit: true } });
  expect(service.parts.market.warnings().map(warningText)).toEqual([]);
  await service.gate.atMost(1);
});

test('of 200 MB, at most the size limit and the socket buffers are read', async () => {
  const service = await startWithFaultyUpstream();
  service.sandbox.faults.always({ kind: 'huge', bytes: 200 * 2 ** 20 });
  expect(await service.ask(LATEST)).toMatchObject({ status: 502, code: 'upstream_invalid' });
  await service.gate.atMost(0);
  expect(service.gate.bytes()).toBeGreaterThan(64 * 2 ** 10);
  expect(service.gate.bytes()).toBeLessThan(16 * 2 ** 20);
  await service.close();
});
