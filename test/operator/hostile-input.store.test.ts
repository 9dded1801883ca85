import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { amount, longTimeout } from '../support/long.ts';
import { type OperatorService, startOperator } from './operator-harness.ts';

/* Every operation of the operator API receives values that are out of range, malformed or repeated. */

type Parameter = { name: string; in: 'path' | 'query'; $ref?: string };
type Schema = { properties: Record<string, object> };
type Described = { parameters?: Parameter[]; requestBody?: { content: { 'application/json': { schema: Schema } } } };
type Operation = { method: string; path: string; inPath: string[]; inQuery: string[]; members: string[] };

let service: OperatorService;
let operations: Operation[];
beforeAll(async () => {
  service = await startOperator({
    settings: {
      BURST_PER_SECOND: '0',
      REGISTRATIONS_PER_MINUTE: '0',
      PUBLIC_URL: 'https://quotient.example.org',
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'quotient@example.org',
    },
  });
  const { body } = await service.send('/openapi.json');
  const shared = body.components.parameters as Record<string, Parameter>;
  const named = (parameters: Parameter[], place: string) =>
    parameters
      .map((one) => shared[one.$ref?.split('/').at(-1) ?? ''] ?? one)
      .filter((one) => one.in === place)
      .map(({ name }) => name);
  operations = Object.entries(body.paths as Record<string, Record<string, Described>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      inPath: named(parameters, 'path'),
      inQuery: named(parameters, 'query'),
      members: Object.keys(requestBody?.content['application/json'].schema.properties ?? {}),
    })),
  );
});
afterAll(() => service?.close());

const NUMBERS = [
  ...['0', '-1', '1.5', '1e400', 'NaN', 'Infinity', '0x10', '+1', '٣', '2147483647', '2147483648', '4294967297'],
  ...['9007199254740993', '9223372036854775807', '9223372036854775808', '-9223372036854775809', '9'.repeat(400)],
];
const TIMES = [
  ...['0000-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59.999Z'],
  ...['9999-12-31T23:59:59-00:01', '300000-01-01T00:00:00Z', '+275760-09-13T00:00:00Z', '2026-02-30T00:00:00Z'],
  ...['-000001-01-01T00:00:00Z', '2026-11-25T24:00:00Z', '2026-11-25'],
];
const TEXTS = ['', '\0', 'a\0b', '\ud800', '%', "'", '\\', '@', 'qt_', 'qt_\0', '😀', 'a'.repeat(600), '__proto__'];
const WHOLE = [
  ...[0, 1, -1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  ...[8.64e15, 8.64e15 + 1, -8.64e15, 253_402_300_800_000, -62_135_596_800_001],
];

const text = fc.oneof(
  fc.constantFrom(...NUMBERS),
  fc.constantFrom(...TIMES),
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const whole = fc.oneof(fc.constantFrom(...WHOLE), fc.maxSafeInteger());
const number = fc.oneof(whole, fc.double(), fc.constantFrom(2 ** 53, 2 ** 63, -(2 ** 63), 1e300));
const value = fc.oneof(text, number, fc.constantFrom(null, true, [], {}), fc.array(number, { maxLength: 3 }));
/** Cursors in the forms of the lists, with values that the types of the database cannot hold; and others. */
const cursor = fc
  .oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constantFrom('created', 'usage', 'lastHour'), whole, whole) },
    { weight: 4, arbitrary: fc.tuple(whole, fc.oneof(fc.uuid(), whole)) },
    fc.array(fc.oneof(number, text), { maxLength: 4 }),
    fc.jsonValue(),
  )
  .map((place) => Buffer.from(JSON.stringify(place)).toString('base64url'));

/** Accepted values, so that the faulty ones are not hidden by a rejection of another. */
const ACCEPTED: Record<string, readonly unknown[]> = {
  key: ['1'],
  sort: ['usage'],
  query: ['ada'],
  by: ['key'],
  limit: ['2'],
  from: ['next'],
  reason: ['a reason'],
  plan: ['yearly'],
  calls: [1],
  graceSeconds: [0],
  text: ['a text'],
  until: ['2030-01-01T00:00:00Z'],
  action: ['user.limit'],
  actor: ['admin'],
  user: ['1'],
  state: ['active'],
  id: ['1', '0f8fad5b-d9cb-469f-a165-70867728950e'],
};
const faulty = (name: string) =>
  name === 'cursor' ? fc.oneof({ weight: 4, arbitrary: cursor }, { weight: 1, arbitrary: text }) : text;
const accepted = (name: string) => fc.constantFrom(...(ACCEPTED[name] ?? []));
const encoded = (given: unknown) => encodeURIComponent(String(given).toWellFormed());

/** Requests in which one parameter or member is faulty; some others are present and accepted. It may be repeated. */
function requestsWith(name: string, { path, inPath, inQuery, members }: Operation) {
  const given = (names: readonly string[], faults: (name: string) => fc.Arbitrary<unknown>, others: object = {}) =>
    fc.record(
      Object.fromEntries(
        names
          .filter((one) => one === name || one in ACCEPTED)
          .map((one): [string, fc.Arbitrary<unknown>] => [one, one === name ? faults(one) : accepted(one)]),
      ),
      others,
    );
  return fc.record({
    path: given(inPath, faulty).map((values) =>
      Object.entries(values).reduce((all, [one, value]) => all.replace(`{${one}}`, () => encoded(value)), path),
    ),
    query: fc
      .tuple(
        given(inQuery, faulty, { requiredKeys: inQuery.filter((one) => one === name) }),
        fc.integer({ min: 1, max: 5 }),
      )
      .map(([values, twice]) => {
        const pairs = Object.entries(values).map(([one, value]) => `${one}=${encoded(value)}`);
        return [...pairs, ...pairs.slice(0, twice === 5 ? 1 : 0)].join('&');
      }),
    body: fc.oneof(
      { weight: 5, arbitrary: given(members, () => value, { requiredKeys: members.filter((one) => one === name) }) },
      { weight: 1, arbitrary: fc.jsonValue() },
    ),
  });
}

it('rejects every value that is out of range with a problem, and fails for none', {
  timeout: longTimeout,
}, async () => {
  expect(operations.length).toBeGreaterThan(15);
  for (const operation of operations) {
    const { method, path: template, inPath, inQuery, members } = operation;
    await service.user();
    for (const name of [...inPath, ...inQuery, ...members])
      await fc.assert(
        fc.asyncProperty(requestsWith(name, operation), async ({ path, query, body }) => {
          const sent = { method, ...(members.length > 0 && { body }) };
          const { status, headers, body: response } = await service.send(`${path}?${query}`, sent);
          expect([template, status, response?.code]).not.toEqual([template, 500, 'internal_error']);
          if (status < 400) return;
          expect(headers.get('content-type')).toContain('application/problem+json');
          if (status === 400) expect(response.errors[0].location).toMatch(/^(query|path|body)/);
        }),
        { numRuns: amount(10, 1_000) },
      );
  }
});

const place = (...values: unknown[]) => `cursor=${Buffer.from(JSON.stringify(values)).toString('base64url')}`;
const ID = '0f8fad5b-d9cb-469f-a165-70867728950e';

it.each([
  ['users', place('created', 2 ** 31, 2 ** 31), 'query.cursor'],
  ['users', `sort=usage&${place('usage', -(2 ** 31) - 1, 1)}`, 'query.cursor'],
  ['users', 'limit=1&limit=2', 'query.limit'],
  ['users', 'limit=9223372036854775808', 'query.limit'],
  ['users', 'query=a%00b', 'query.query'],
  ['messages', place(8.64e15 + 1, ID), 'query.cursor'],
  ['messages', place(Date.UTC(10_000, 0), ID), 'query.cursor'],
  ['messages', place(0, 1), 'query.cursor'],
  ['audit', place(Date.parse('0001-01-01T00:00:00Z') - 1, 1), 'query.cursor'],
  ['audit', place(0, 2 ** 53), 'query.cursor'],
  ['audit', 'user=2147483648', 'query.user'],
  ['audit', 'from=0000-12-31T23:59:59Z', 'query.from'],
  ['audit', 'from=300000-01-01T00:00:00Z', 'query.from'],
  ['audit', 'until=9999-12-31T23:59:59-00:01', 'query.until'],
  ['audit', 'actor=a%00b', 'query.actor'],
])('rejects GET /admin/v1/%s?%s and names the parameter', async (path, query, location) => {
  const { status, body } = await service.send(`/admin/v1/${path}?${query}`);
  expect([status, body.errors?.[0]?.location]).toEqual([400, location]);
});

it.each([
  ['users', place('created', 2 ** 31 - 1, 2 ** 31 - 1)],
  ['audit', 'from=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59.999Z&user=2147483647'],
  ['audit', place(Date.UTC(10_000, 0) - 1, Number.MAX_SAFE_INTEGER)],
  ['messages', place(Date.parse('0001-01-01T00:00:00Z'), ID)],
])('accepts the largest and smallest values in GET /admin/v1/%s?%s', async (path, query) => {
  expect((await service.send(`/admin/v1/${path}?${query}`)).status).toBe(200);
});
