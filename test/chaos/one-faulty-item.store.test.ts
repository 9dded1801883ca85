import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { WRONG_VALUES } from '../support/changed-json.ts';
import { amount, longTimeout } from '../support/long.ts';
import { startTwins, type Twins } from '../support/service/twins.ts';
import { type ItemFault, itemFault } from './item-faults.ts';
import { type Case, SCENARIOS, UNAVAILABLE } from './item-scenarios.ts';

const RUNS = amount(3, 60);

let twins: Twins;
beforeAll(async () => {
  twins = await startTwins('2026-05-12T12:00:00Z', { tokens: 8 * RUNS + 40 });
}, longTimeout);
afterAll(() => twins?.close());

const fault: fc.Arbitrary<ItemFault> = fc.oneof(
  fc.record({
    kind: fc.constant('malformed' as const),
    wrong: fc.constantFrom<unknown>(...WRONG_VALUES),
    member: fc.nat(30),
  }),
  fc.record({ kind: fc.constant('malformed' as const), wrong: fc.constantFrom<unknown>(...WRONG_VALUES) }),
  fc.constantFrom<ItemFault>(
    ...(['missing', 'doubled', 'renamed', 'outdated'] as const).map((kind) => ({ kind })),
    ...[2 * MINUTE, -3 * HOUR, DAY, -DAY, 400 * DAY].map((ms) => ({ kind: 'shifted' as const, ms })),
  ),
);

/** The items of both services' responses, without the affected ones. */
async function compare({ reads, affected }: Pick<Case, 'reads'> & { affected: readonly string[] }) {
  const found = { faulty: new Map<string, unknown>(), healthy: new Map<string, unknown>() };
  for (const { path, items } of reads) {
    const [faulty, healthy] = await twins.read(path);
    // A response that consists of the affected item only may fail.
    if (affected.length > 0 && items(healthy.body).every(([item]) => affected.includes(item))) continue;
    for (const [name, { status, body }] of Object.entries({ faulty, healthy })) {
      const others = (status === 200 ? items(body) : []).filter(([item]) => !affected.includes(item));
      const map = found[name as keyof typeof found];
      for (const [item, value] of [[path, status] as const, ...others]) map.set(item, value);
    }
  }
  return found;
}

async function expectOthersUnchanged(one: Case, fault: ItemFault): Promise<void> {
  const { faulty, healthy } = await compare({ ...one, affected: one.affected(fault) });
  expect(Object.fromEntries(faulty)).toEqual(Object.fromEntries(healthy));
  expect(await twins.paused()).toEqual([]);
}

async function isHealed(one: Case): Promise<boolean> {
  const { faulty, healthy } = await compare({ ...one, affected: [] });
  return JSON.stringify([...faulty]) === JSON.stringify([...healthy]);
}

test.each(Object.keys(SCENARIOS))(
  '%s: a fault changes nothing else, and its effect ends within two intervals',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(fault, fc.nat(10_000), async (fault, place) => {
        const one = await (SCENARIOS[name] as (typeof SCENARIOS)[string])(twins, place);
        const { faulty, healthy } = twins;
        fc.pre(!one.isHidden?.(fault));
        const outage = one.outage;
        if (outage) for (const { sandbox } of [faulty, healthy]) sandbox.faults.always(UNAVAILABLE, { path: outage });
        twins.inject(itemFault(one.isItem, fault), one.upstream);
        for (let i = 0; i < (outage ? 3 : 1); i++) {
          await twins.pass(one.interval);
          await compare({ ...one, affected: [] });
        }
        await twins.pass(one.interval);
        await expectOthersUnchanged(one, fault);
        faulty.sandbox.faults.clear();
        if (outage) faulty.sandbox.faults.always(UNAVAILABLE, { path: outage });
        let healed = false;
        for (let i = 0; i < 2 && !healed; i++) {
          await twins.pass(one.interval);
          healed = await isHealed(one);
        }
        if (!healed) {
          const { faulty, healthy } = await compare({ ...one, affected: [] });
          expect(Object.fromEntries(faulty)).toEqual(Object.fromEntries(healthy));
        }
        for (const { sandbox } of [faulty, healthy]) sandbox.faults.clear();
        if (!outage) return;
        for (let i = 0; i < 4; i++) {
          await twins.pass(10 * MINUTE);
          await compare({ ...one, affected: [] });
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  },
  longTimeout,
);
