import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Prints the counted and the used bytes of 50,000 requests. `query` is an expression for the text after `?`. */
const scriptFor = (query: string) => `
  import { createRecentRequests } from './src/requests/recent-requests.ts';
  import { shownPath } from './src/requests/shown-path.ts';
  const recent = createRecentRequests();
  const used = () => {
    // The memory of arrays is released some collections later.
    for (let n = 0; n < 4; n += 1) gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  for (let n = 0; n < 50_000; n += 1) {
    const url = Buffer.from('/market/v1/user/usage?' + ${query}).toString();
    const path = shownPath(url, '/market', new Set(['by']));
    recent.note(n % 500, { at: n, keyId: 1, method: 'GET', path, status: 200, code: undefined,
      detail: n % 2 ? Buffer.from('days must be an integer ' + n).toString() : undefined, cost: 0, ms: 1 });
  }
  const counted = recent.bytes();
  console.log(JSON.stringify({ counted, used: used() - before, requests: recent.of(1).length }));`;

it.each([
  ['short paths', "'by=key' + n"],
  ['parameters that are not shown', "'x='.padEnd(8_000, String(n))"],
  ['paths with `…`', "(n + '=1&').repeat(100)"],
])('the counted bytes are at least those in use: %s', async (_name, query) => {
  const args = ['--expose-gc', '--input-type=module', '-e', scriptFor(query)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { counted, used, requests } = JSON.parse(stdout) as Record<'counted' | 'used' | 'requests', number>;
  expect(requests).toBeGreaterThanOrEqual(50);
  expect(used).toBeLessThan(counted);
});
