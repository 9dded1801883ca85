import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLog } from '#open';
import type { Fault } from '#sandbox/faults';
import { type Sandbox, startSandbox } from '#sandbox/server';
import type { UpstreamFailure } from '#upstream/failures/failure';
import { failureOf } from '#upstream/transport/http-client';
import { openTestSource } from '../../support/upstream/source.ts';

const ofCode = (code: string, message: string) => Object.assign(new Error(message), { code });

/** Errors as the system and undici throw them, and the resulting message. */
const ERRORS: [Error, string, string][] = [
  [ofCode('ENOTFOUND', 'getaddrinfo ENOTFOUND secret.api.example'), 'unreachable', 'connection failed: ENOTFOUND'],
  [ofCode('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:9'), 'unreachable', 'connection failed: ECONNREFUSED'],
  [
    ofCode('ERR_TLS_CERT_ALTNAME_INVALID', "Host: secret.api.example. is not in the cert's altnames"),
    'unreachable',
    'connection failed: ERR_TLS_CERT_ALTNAME_INVALID',
  ],
  [
    Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }),
    'unreachable',
    'connection failed: ECONNREFUSED',
  ],
  [ofCode('UND_ERR_SOCKET', 'other side closed'), 'unreachable', 'connection failed: UND_ERR_SOCKET'],
  [ofCode('UND_ERR_CONNECT_TIMEOUT', 'Connect Timeout Error'), 'timeout', 'no connection in time'],
  [new DOMException('The operation was aborted due to timeout', 'TimeoutError'), 'timeout', 'no response in time'],
  [
    ofCode('UND_ERR_HEADERS_OVERFLOW', 'Headers Overflow Error'),
    'too_large',
    'the header fields of the response are too long',
  ],
];

/** The message as it is logged, with the messages of all causes. */
function logged(err: Error): string {
  const lines: string[] = [];
  openLog('info', { write: (line) => void lines.push(line) }).warn({ err });
  return (JSON.parse(lines.join('')) as { err: { message: string } }).err.message;
}

function expectOnce(failure: UpstreamFailure): void {
  const { upstream, reason, message } = failure;
  expect(message.split(`${upstream}: `)).toHaveLength(2);
  expect(message.replaceAll(' ', '_')).not.toContain(reason);
  expect(logged(failure)).toBe(message);
}

describe('a failure of an upstream states its cause once', () => {
  test.each(ERRORS)('%s', (error, reason, said) => {
    const failure = failureOf('coingecko', error);
    expect(failure).toMatchObject({ reason, message: `coingecko: ${said}` });
    expectOnce(failure);
  });

  test('keeps the thrown error if it has no code', () => {
    const fault = new TypeError('rows is not iterable');
    const failure = failureOf('coingecko', fault);
    expect(failure).toMatchObject({ message: 'coingecko: connection failed: TypeError', cause: fault });
    expect(logged(failure)).toBe('coingecko: connection failed: TypeError: rows is not iterable');
  });

  describe('is the same in the failure that a source throws', () => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      sandbox = await startSandbox();
    });
    afterAll(() => sandbox.close());

    test.each<[string, Fault]>([
      ['unreachable', { kind: 'reset' }],
      ['timeout', { kind: 'hangBeforeHeaders' }],
      ['rate_limited', { kind: 'status', status: 429 }],
      ['refused', { kind: 'status', status: 404 }],
      ['server_error', { kind: 'status', status: 500 }],
      ['not_json', { kind: 'html' }],
      ['unexpected', { kind: 'wrongTypes' }],
      ['empty', { kind: 'emptyChart' }],
      ['too_large', { kind: 'huge', bytes: 2 ** 24 }],
    ])('%s', async (reason, fault) => {
      sandbox.faults.clear();
      sandbox.faults.always(fault);
      const source = openTestSource(sandbox.coingeckoUrl, { timeoutMs: 1_000 });
      const request = reason === 'empty' ? source.quotes(['bitcoin']) : source.daily('bitcoin', 5);
      const failure = await request.catch((error: UpstreamFailure) => error);
      await source.close();
      expect(failure).toMatchObject({ reason });
      expectOnce(failure as UpstreamFailure);
    });

    test('states the rest of a pause in whole seconds', async () => {
      sandbox.faults.clear();
      sandbox.faults.next({ kind: 'status', status: 429, headers: { 'retry-after': '10' } });
      const source = openTestSource(sandbox.coingeckoUrl);
      const ask = () => source.daily('bitcoin', 5).catch((error: UpstreamFailure) => error);
      await ask();
      source.clock.advance(227.864713);
      const failure = await ask();
      await source.close();
      expect(failure).toMatchObject({ reason: 'resting' });
      expect((failure as UpstreamFailure).message).toMatch(/ 10 seconds$/);
    });
  });
});
