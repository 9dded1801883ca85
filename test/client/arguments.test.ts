import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChainClient, type Fetch, QuotientClient, QuotientError } from '#client/index';
import { amount } from '../support/long.ts';

/*
 * Arguments of any type, as from a caller without types: a method rejects with a `QuotientError`, and a constructor
 * throws one.
 */

const circular: { [member: string]: unknown } = { email: true };
circular.webhookUrl = circular;
circular.msg = [circular];
circular.signatures = [circular];

const HOSTILE: unknown[] = [
  circular,
  Symbol('a symbol'),
  10n,
  () => 'a function',
  new Date(Number.NaN),
  Object.create(null),
  '..',
  '\uD800',
  { email: 10n, thresholds: 10n, label: Symbol('label'), scopes: [Symbol('scope')], days: Symbol('days') },
  { msg: [10n], signatures: [10n], fee: 10n },
  { signal: {}, timeout: '1', retries: '1', headers: 'none' },
  { headers: { 'a name': 'with a space' } },
  { headers: { accept: 'text/html' } },
  { timeout: Number.POSITIVE_INFINITY },
  { from: '2024-01-01', thru: {} },
  {
    get signal(): never {
      throw new TypeError('a getter that throws');
    },
  },
  new Proxy(
    {},
    {
      get: () => expect.fail,
      ownKeys: () => {
        throw new TypeError('a proxy that throws');
      },
    },
  ),
  'cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnrql8a',
  'AB'.repeat(32),
  Buffer.alloc(80).toString('base64'),
];

const anything = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withTypedArray: true,
  }),
);

/** Behaviours of the service, or of a custom `fetch`. */
const fetches = fc.oneof(
  fc.jsonValue().map(
    (body): Fetch =>
      async () =>
        Response.json(body),
  ),
  fc
    .tuple(
      fc.jsonValue(),
      fc.integer({ min: 200, max: 599 }).filter((status) => ![204, 205, 304].includes(status)),
    )
    .map(
      ([body, status]): Fetch =>
        async () => {
          const headers = { 'content-type': 'application/problem+json', 'x-request-id': 'r1' };
          return new Response(JSON.stringify({ code: 'no_data', ...Object(body) }), { status, headers });
        },
    ),
  fc.anything().map(
    (response): Fetch =>
      async () =>
        response as Response,
  ),
  fc.constant<Fetch>(() => {
    throw new TypeError('a fetch that throws');
  }),
);

const NO_CALLS = ['constructor', 'about', 'withKey', 'allowance'];
const methodsOf = ({ prototype }: { prototype: object }) =>
  Object.getOwnPropertyNames(prototype).filter((name) => !NO_CALLS.includes(name));

type Methods = { [name: string]: (...args: unknown[]) => Promise<unknown> };

async function expectQuotientError(client: object, method: string, args: unknown[]): Promise<void> {
  const call = (client as Methods)[method]?.(...args);
  expect(call).toBeInstanceOf(Promise);
  await call?.catch((error) => expect(error).toBeInstanceOf(QuotientError));
}

describe.each([
  ['QuotientClient', QuotientClient, { baseUrl: 'http://127.0.0.1:1', apiKey: 'qt_a' }],
  ['ChainClient', ChainClient, { nodeUrl: 'http://127.0.0.1:1', dialect: 'cosmos' }],
  ['ChainClient of a service', ChainClient, { nodeUrl: 'http://127.0.0.1:1/v1/node', apiKey: 'qt_a' }],
] as const)('%s', (_name, Client, options) => {
  it.each(methodsOf(Client))('%s', async (method) => {
    await fc.assert(
      fc.asyncProperty(fetches, fc.array(anything, { maxLength: 4 }), async (fetch, args) => {
        const client = new Client({ ...options, fetch, retries: 0 } as never);
        await expectQuotientError(client, method, args);
      }),
      { numRuns: 60 },
    );
  });

  it('the constructor accepts any options or throws QuotientError', () => {
    fc.assert(
      fc.property(
        anything,
        fc.constantFrom('', ...Object.keys(options), 'fetch', 'headers', 'explorer'),
        (value, name) => {
          try {
            new Client((name === '' ? value : { ...options, [name]: value }) as never);
          } catch (error) {
            expect(error).toBeInstanceOf(QuotientError);
          }
        },
      ),
      { numRuns: amount(100, 2_000) },
    );
  });
});

it('accepts a key of any type without throwing, and rejects the calls made with it', async () => {
  const fetch: Fetch = () => expect.fail('a request was sent');
  const anyone = new QuotientClient({ baseUrl: 'http://127.0.0.1:1', fetch });
  for (const key of [null, 5, '', 'qt_\n', 'qt_ä', Symbol('key'), {}]) {
    await expect(anyone.withKey(key as string).user()).rejects.toMatchObject({ code: 'api_key_invalid' });
  }
});

it.each(['..', '', '7', 0, 1.5, Number.NaN, null])(
  'neither changes nor deletes a key with an invalid id: %o',
  async (id) => {
    const fetch: Fetch = () => expect.fail('a request was sent');
    const client = new QuotientClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'qt_a', fetch });
    await expect(client.updateKey(id as number, { label: 'a' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(client.deleteKey(id as number)).rejects.toMatchObject({ code: 'invalid_request' });
  },
);
