import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createDropReporter, createItemReport, readItems, readMembers } from '#upstream/items/items';

const figure = z.number();
type Coin = { id: string; price: number; supply: number | null };

const rules = (requested?: readonly string[]) => ({
  read(value: unknown, nulled: (member: string) => void) {
    const { data } = z.object({ id: z.string(), price: figure }).safeParse(value);
    if (!data) return 'malformed' as const;
    if (data.price <= 0) return 'price' as const;
    return { ...data, ...readMembers(value, { supply: figure }, nulled) };
  },
  keyOf: ({ id }: Coin) => id,
  ...(requested && { requested }),
});

test('sorts a response into accepted, missing and rejected items', () => {
  const values = [
    { id: 'a', price: 1, supply: 5 },
    { id: 'b', price: -1 },
    { id: 'c', price: 3, supply: '∞' },
    { id: 'd', price: 4 },
    { id: 'a', price: 2, supply: null },
    { id: 'e' },
    null,
    'f',
  ];
  const { accepted, missing, rejected } = readItems(values, rules(['a', 'b', 'c', 'g']));
  expect(accepted).toEqual([
    { id: 'a', price: 2, supply: null },
    { id: 'c', price: 3, supply: null },
  ]);
  expect(missing).toEqual(['b', 'g']);
  expect(Object.fromEntries(rejected)).toEqual({ price: 1, 'malformed supply': 1, repeated: 1, malformed: 3 });
});

const coin = fc.record({ id: fc.string({ minLength: 1 }), price: fc.double({ min: 1e-9, max: 1e12, noNaN: true }) });
/** A fault of one item: removed, repeated, or with other content. */
const fault = fc.oneof(
  fc.constant({ kind: 'missing' as const }),
  fc.constant({ kind: 'repeated' as const }),
  fc.record({ kind: fc.constant('replaced' as const), by: fc.anything() }),
);

test('no fault of one item changes another item', () => {
  const coins = fc.uniqueArray(coin, { selector: ({ id }) => id, minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(coins, fc.nat(), fault, (sound, place, { kind, ...change }) => {
      const at = place % sound.length;
      const target = sound[at] as (typeof sound)[number];
      const values: unknown[] = [...sound];
      if (kind === 'missing') values.splice(at, 1);
      else if (kind === 'repeated') values.push(target);
      else values[at] = 'by' in change ? change.by : undefined;
      const requested = sound.map(({ id }) => id);
      const { accepted, missing, rejected } = readItems(values, rules(requested));
      const others = sound.filter((one) => one !== target).map((one) => ({ ...one, supply: null }));
      expect(accepted.filter(({ id }) => id !== target.id)).toEqual(others);
      expect([...accepted.map(({ id }) => id), ...missing].sort()).toEqual([...requested].sort());
      if (kind === 'repeated') expect([missing, rejected.get('repeated')]).toEqual([[], 1]);
    }),
  );
});

test('a batch fails only if every item is rejected; each reason is logged once until the path is sound again', () => {
  let count = 0;
  const lines: unknown[] = [];
  const log = { warn: (facts: object) => lines.push(facts) } as unknown as Parameters<
    typeof createDropReporter
  >[0]['log'];
  const counted = () => (more: number) => {
    count += more;
  };
  const reportItems = createItemReport('source', createDropReporter({ dropped: counted, log }, 'source'));
  const look = (...values: unknown[]) => reportItems('/path', readItems(values, rules())).accepted.length;
  const sound = { id: 'a', price: 1 };
  expect(look()).toBe(0);
  expect(look(sound, {})).toBe(1);
  expect(look(sound, {})).toBe(1);
  expect(() => look({}, {})).toThrow(expect.objectContaining({ reason: 'unexpected' }));
  expect(lines).toEqual([{ upstream: 'source', path: '/path', dropped: 1, reasons: ['malformed'] }]);
  expect(look(sound, {}, { id: 'b', price: 0 })).toBe(1);
  expect(lines).toHaveLength(2);
  expect(look(sound)).toBe(1);
  expect(look(sound, {})).toBe(1);
  expect([lines.length, count]).toEqual([3, 7]);
});
