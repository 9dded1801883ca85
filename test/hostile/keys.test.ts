import { afterAll, beforeAll, expect, it } from 'vitest';
import { repeatRequest, type Tally } from '../../bench/calls/hostile/attacks.ts';
import { ATTACK_MS, openStand, type Stand } from './stand.ts';

const BURST = 60;
const LIVE_KEYS = 20;
const WEEK = 604_800;
const LATEST = '/v1/prices/latest/token?tokenName=bitcoin';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ settings: { BURST_PER_SECOND: String(BURST) } });
});
afterAll(() => stand?.close());

const rotate = (apiKey: string, graceSeconds: number) =>
  stand.ask(`/v1/user/rotate?graceSeconds=${graceSeconds}`, apiKey, { method: 'POST' });
const keyIn = (text: string) => (JSON.parse(text) as { apiKey: string }).apiKey;

/** Creates a user with the maximum number of active keys, newest last. */
async function manyKeys(): Promise<string[]> {
  const keys = [await stand.register()];
  while (keys.length < LIVE_KEYS) keys.push(keyIn((await rotate(keys.at(-1) as string, WEEK)).text));
  return keys;
}

it('a user has at most 20 active keys', async () => {
  const { result: keys } = await stand.attacked(manyKeys);
  const refused = await rotate(keys.at(-1) as string, WEEK);
  expect(refused).toMatchObject({ status: 409, code: 'too_many_keys' });
  for (const key of keys) expect((await stand.ask('/v1/user/usage', key)).status).toBe(200);
});

it('all keys of a user share the burst limit', async () => {
  const keys = await manyKeys();
  const seconds = 2;
  const { result } = await stand.attacked(() =>
    Promise.all(
      keys.map((apiKey) =>
        repeatRequest({ url: stand.url(), apiKey }, { path: LATEST, connections: 2, ms: seconds * 1000 }),
      ),
    ),
  );
  const sum = (kind: string) => result.reduce((total: number, tally: Tally) => total + (tally[kind] ?? 0), 0);
  expect(sum('429 rate_limited')).toBeGreaterThan(0);
  // The initial burst, and the rate. The last responses arrive slightly after their requests.
  expect(sum('200')).toBeLessThanOrEqual(BURST * (seconds + 2));
});

it('continuous rotations without a grace period do not slow down others, and the last one is as fast as the first', async () => {
  let apiKey = await stand.register();
  const times: number[] = [];
  const { result } = await stand.attacked(async () => {
    const refused: string[] = [];
    for (let i = 0; i < 200; i++) {
      const { status, code, text, ms } = await rotate(apiKey, 0);
      if (status === 200) {
        apiKey = keyIn(text);
        times.push(ms);
      } else if (code !== 'rate_limited') refused.push(`${status} ${code}`);
    }
    return refused;
  });
  expect(result).toEqual([]);
  const median = (some: number[]) => some.toSorted((a, b) => a - b)[Math.floor(some.length / 2)] ?? Number.NaN;
  expect(times.length).toBeGreaterThan(60);
  expect(median(times.slice(-20))).toBeLessThan(10 + 3 * median(times.slice(0, 20)));
});

it.each([
  ['unknown keys', () => `qt_${'0'.repeat(38)}`],
  ['a known key', async () => stand.register()],
])('continuous look-ups of %s are limited', async (_name, keyOf) => {
  const apiKey = await keyOf();
  const attack = { path: `/v1/user/data?api=${apiKey}`, connections: 16, ms: ATTACK_MS };
  const { result } = await stand.attacked(() => repeatRequest({ url: stand.url() }, attack));
  expect(result['429 rate_limited']).toBeGreaterThan(0);
});
