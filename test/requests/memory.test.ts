import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MB = 1024 * 1024;

/** Prints the bytes in use after 25,000 requests of 250 users. `query` is an expression for the text after `?`. */
const scriptFor = (query: string) => `
  import { createRecentRequests } from './src/requests/recent-requests.ts';
  import { createRecorder } from './src/requests/recorder.ts';
  const recent = createRecentRequests({ now: () => 0 });
  const recorder = createRecorder(recent, '/market');
  const config = { parameters: new Set(['by']) };
  const used = () => {
    // The memory of arrays is released some collections later.
    for (let n = 0; n < 4; n += 1) gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  for (let n = 0; n < 25_000; n += 1) {
    const url = Buffer.from('/market/v1/user/usage?' + ${query}).toString();
    const detail = Buffer.from('… days must be an integer '.repeat(13) + n).toString();
    const code = 'invalid_request';
    recorder.note({ user: Math.floor(n / 100), at: n, keyId: 1, method: 'GET', raw: { url, headers: {} }, config,
      status: 400, code, detail, cost: 0, ms: n / 3 });
  }
  const after = used();
  const lengths = [0, 249].map((user) => recent.read(user).requests.length);
  console.log(JSON.stringify({ used: after - before, lengths }));`;

it.each([
  ['short paths', "'by=key' + n"],
  ['parameters that are not shown', "'x='.padEnd(8_000, String(n))"],
  ['paths with `…`', "(n + '=1&').repeat(100)"],
])('the failed requests of all users need at most 30 MB: %s', async (_name, query) => {
  const args = ['--expose-gc', '--input-type=module', '-e', scriptFor(query)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { used, lengths } = JSON.parse(stdout) as { used: number; lengths: number[] };
  expect(lengths).toEqual([0, 100]);
  expect(used).toBeLessThan(30 * MB);
});
