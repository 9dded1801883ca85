import { beforeEach, expect, it } from 'vitest';
import { MINUTE } from '#core/clock';
import { OWNER_SCOPES } from '#keys/api-key';
import { createKeyCache } from '#keys/key-cache';
import type { KeyHolderStore, KeyUse } from '#keys/key-holder-store';
import { UNUSED } from '#keys/key-use';
import type { KeyHolder } from '#keys/key-validity';
import { type HandClock, handClock } from '../ledger/allowance-harness.ts';

/* Which uses of keys are written to the database, and how often. */

const START = Date.UTC(2026, 0, 31, 12);
let clock: HandClock;
let statements: KeyUse[][];
let respond: () => number[];
let keys: ReturnType<typeof createKeyCache>;
beforeEach(() => {
  [clock, statements, respond] = [handClock(START), [], () => []];
  const recordUse = async (uses: readonly KeyUse[]) => {
    statements.push([...uses]);
    return respond();
  };
  keys = createKeyCache({ store: { recordUse } as unknown as KeyHolderStore, clock });
});

const aKey = (id: number, change: Partial<KeyHolder> = {}) => ({
  hash: '',
  id,
  user: { validUntil: START + MINUTE } as KeyHolder['user'],
  scopes: OWNER_SCOPES,
  replacedAt: undefined,
  expiresAt: undefined,
  revokedAt: undefined,
  dailyLimit: undefined,
  allowedOrigins: undefined,
  url: false,
  ...change,
  ...UNUSED,
});
const written = () => statements.flat().map(({ id, at }) => [id, (at - START) / MINUTE]);

it('writes a key once per minute, however many calls it makes', async () => {
  const [busy, rare] = [aKey(1), aKey(2)];
  for (let n = 0; n < 1000; n++) keys.noteUse(busy, clock.now() + n);
  keys.noteUse(rare, clock.now());
  expect(await keys.writeUse()).toBe(true);
  keys.noteUse(busy, clock.now() + MINUTE - 1);
  expect(await keys.writeUse()).toBe(true);
  keys.noteUse(busy, clock.now() + MINUTE);
  expect(await keys.writeUse()).toBe(true);
  expect(written()).toEqual([
    [1, 0],
    [2, 0],
    [1, 1],
  ]);
  expect(statements).toHaveLength(2);
});

it('writes thousands of keys in batches of bounded size', async () => {
  for (let id = 1; id <= 6000; id++) keys.noteUse(aKey(id), clock.now());
  const whole = [await keys.writeUse(), await keys.writeUse(), await keys.writeUse()];
  expect(whole).toEqual([false, false, true]);
  expect(statements.map(({ length }) => length)).toEqual([2500, 2500, 1000]);
  expect(new Set(statements.flat().map(({ id }) => id)).size).toBe(6000);
});

it('retries uses that could not be written, together with uses since then', async () => {
  const [key, other] = [aKey(1), aKey(2)];
  for (const one of [key, other]) keys.noteUse(one, clock.now());
  respond = () => {
    throw new Error('the database is unavailable');
  };
  await expect(keys.writeUse()).rejects.toMatchObject({ code: 'database_unavailable' });
  keys.noteUse(key, clock.now() + MINUTE);
  respond = () => [1];
  expect(await keys.writeUse()).toBe(false);
  respond = () => [];
  expect(await keys.writeUse()).toBe(true);
  expect(written().slice(2).toSorted()).toEqual([
    [1, 1],
    [1, 1],
    [2, 0],
  ]);
});

it("does not record a call with an ended key as a use, but records a call with an expired user's key", async () => {
  clock.pass(2 * MINUTE);
  keys.noteUse(aKey(1, { revokedAt: START }), clock.now());
  keys.noteUse(aKey(2, { expiresAt: START }), clock.now());
  keys.noteUse(aKey(3), clock.now());
  await keys.writeUse();
  expect(written()).toEqual([[3, 2]]);
});

it('writes an origin once, and again when it changes', async () => {
  const key = aKey(1);
  for (const origin of ['https://a.example', 'https://a.example', undefined]) keys.noteUse(key, START, origin);
  await keys.writeUse();
  keys.noteUse(key, START, 'https://b.example');
  keys.noteUse(key, START);
  await keys.writeUse();
  for (const origin of ['https://b.example', undefined]) keys.noteUse(key, START, origin);
  await keys.writeUse();
  expect(statements).toEqual([
    [{ id: 1, at: START, origin: 'https://a.example' }],
    [{ id: 1, at: START, origin: 'https://b.example' }],
  ]);
});
