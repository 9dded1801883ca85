import { afterAll, beforeAll, expect, it } from 'vitest';
import { PRICED } from '../support/service/hammer.ts';
import { type OperatorService, startOperator } from './operator-harness.ts';

let service: OperatorService;
const keyOf: Record<string, { key: number; apiKey: string }> = {};

beforeAll(async () => {
  service = await startOperator({ settings: { BURST_PER_SECOND: '0', REGISTRATIONS_PER_MINUTE: '0' } });
  for (const [name, email, plan] of [
    ['Ada Lovelace', 'ada@example.org', 'monthly'],
    ['Grace Hopper', 'Grace.Hopper@example.net', 'yearly'],
    ["Seán O'Brien-Łuk", 'sean_x@example.org', 'monthly'],
    ['Ada Byron', 'byron_b@example.org', 'monthly'],
  ] as const)
    keyOf[name] = await service.user(email, name, plan);
});
afterAll(() => service?.close());

async function names(query: Record<string, string>): Promise<string[]> {
  const { body } = await service.send(`/admin/v1/users?${new URLSearchParams(query)}`);
  return body.items.map(({ name }: { name: string }) => name);
}

it('finds users by the start of an email address, of a word of the name, of a key, or by the record number', async () => {
  for (const [query, found] of [
    ['ada@', ['Ada Lovelace']],
    ['ADA@EXAMPLE.ORG', ['Ada Lovelace']],
    ['grace.hopper@', ['Grace Hopper']],
    ['ada', ['Ada Byron', 'Ada Lovelace']],
    ['love', ['Ada Lovelace']],
    ['ada love', ['Ada Lovelace']],
    ['hop', ['Grace Hopper']],
    ["o'brien", ["Seán O'Brien-Łuk"]],
    ['łuk', ["Seán O'Brien-Łuk"]],
    ['sean_x', ["Seán O'Brien-Łuk"]],
    ['seanyx', []],
    ['byron_b@', ['Ada Byron']],
    ['%', []],
    ["' OR 1=1 --", []],
    ["'", []],
    [String(keyOf['Ada Byron']?.key), ['Ada Byron']],
    [keyOf['Grace Hopper']?.apiKey.slice(0, 7) ?? '', ['Grace Hopper']],
    [keyOf['Grace Hopper']?.apiKey ?? '', ['Grace Hopper']],
    ['unmatched', []],
    ['2147483648', []],
    ['9999999999', []],
  ] as const)
    expect([query, await names({ query })]).toEqual([query, found]);
  expect(await names({ query: 'qt_' })).toHaveLength(4);
});

it('filters by state and plan, and returns each user once over all pages', async () => {
  expect(await names({ plan: 'yearly' })).toEqual(['Grace Hopper']);
  const { key = 0 } = keyOf['Ada Byron'] ?? {};
  await service.change(`/users/${key}/suspend`, { reason: 'test' });
  expect(await names({ state: 'suspended' })).toEqual(['Ada Byron']);
  expect(await names({ state: 'active', query: 'ada' })).toEqual(['Ada Lovelace']);
  for (const state of ['expired', 'revoked', 'erased']) expect(await names({ state })).toEqual([]);
  for (const sort of ['created', 'usage', 'lastHour']) {
    await service.parts.operator.admin?.updateActivity();
    const seen: number[] = [];
    for (let cursor = ''; ; ) {
      const page = (await service.send(`/admin/v1/users?sort=${sort}&limit=1${cursor}`)).body;
      seen.push(...page.items.map((user: { key: number }) => user.key));
      if (page.nextCursor === null) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect([sort, seen.length, new Set(seen).size]).toEqual([sort, 4, 4]);
  }
});

it('sorts by the calls of the period and of the last hour, which are updated without reading every user', async () => {
  const update = service.parts.operator.admin?.updateActivity;
  const call = async (name: string, times: number) => {
    for (let n = 0; n < times; n++) await service.get(PRICED, { key: keyOf[name]?.apiKey ?? '' });
  };
  await update?.();
  await call('Grace Hopper', 3);
  await call('Ada Lovelace', 1);
  await service.parts.allowance.settle();
  await update?.();
  for (const sort of ['usage', 'lastHour'])
    expect((await names({ sort })).slice(0, 2)).toEqual(['Grace Hopper', 'Ada Lovelace']);
  const [grace] = (await service.send('/admin/v1/users?query=hop')).body.items;
  expect(grace).toMatchObject({ used: 3, lastHour: 3 });
});

it('finds each user in exactly the state that is shown', async () => {
  const { prisma } = service.database;
  const past = new Date(Date.now() - 1_000);
  const lapsed = { validUntil: past };
  const suspended = { suspendedAt: past, suspendedReason: 'test' };
  const erased = { erasedAt: past, name: null, email: null };
  for (const [n, [data, key]] of [
    [{}, {}],
    [lapsed, {}],
    [{}, { revokedAt: past }],
    [{}, { expiresAt: past }],
    [lapsed, { revokedAt: past }],
    [{ ...lapsed, ...suspended }, { revokedAt: past }],
    [{ ...suspended, ...erased }, { revokedAt: past }],
    [erased, {}],
  ].entries()) {
    const user = await service.user(`state${n}@example.org`, `State ${n}`);
    await prisma.user.update({ where: { key: user.key }, data: data ?? {} });
    await prisma.apiKey.updateMany({ where: { userKey: user.key }, data: key ?? {} });
  }
  await service.parts.operator.admin?.updateActivity();
  for (const sort of ['created', 'usage']) {
    const list = async (query: string) =>
      (await service.send(`/admin/v1/users?sort=${sort}&limit=100${query}`)).body.items as {
        key: number;
        state: string;
      }[];
    const all = await list('');
    for (const state of ['active', 'suspended', 'expired', 'revoked', 'erased']) {
      const keys = all.filter((one) => one.state === state).map(({ key }) => key);
      expect([state, keys.length > 0]).toEqual([state, true]);
      expect([state, (await list(`&state=${state}`)).map(({ key }) => key)]).toEqual([state, keys]);
    }
  }
});

it('rejects a cursor of another list and parameters out of range', async () => {
  const { nextCursor } = (await service.send('/admin/v1/users?limit=1')).body;
  for (const query of [
    `sort=usage&cursor=${nextCursor}`,
    'cursor=e30',
    'cursor=%22',
    'limit=101',
    'limit=0',
    'sort=name',
    'state=gone',
    `query=${'x'.repeat(255)}`,
    'query=a%0Ab',
  ]) {
    const { status, body } = await service.send(`/admin/v1/users?${query}`);
    expect([query, status, body.code]).toEqual([query, 400, 'invalid_request']);
  }
});

it('finds an address with an internationalized domain in both forms', async () => {
  await service.user('ann&b@bücher.example', 'Ann Bücher');
  for (const query of ['ann&b@bücher.example', 'ANN&B@XN--BCHER', 'ann&b@bücher.ex'])
    expect([query, await names({ query })]).toEqual([query, ['Ann Bücher']]);
});

it('finds names in all scripts by themselves and by each of their words', async () => {
  const found = [
    'नमस्ते कुमार',
    'محمّد علی\u200cرضا',
    'ภาษาไทย',
    'ÇELİK',
    'Jose\u0301 Núñez',
    '김철수',
    'C:\\Ops & Co',
    "'quoted':*",
  ];
  for (const name of found) await service.user('scripts@example.org', name, 'monthly');
  for (const name of found) {
    for (const query of [name, ...name.split(' ').filter((word) => /\p{L}/u.test(word))])
      expect([query, await names({ query })]).toEqual([query, [name]]);
  }
});
