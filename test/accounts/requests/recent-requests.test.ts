import { expect, it } from 'vitest';
import { BOUNDS, createRecentRequests } from '#accounts/requests/recent-requests';

const request = (n: number, path = '/v1/tokens') => ({
  ...{ at: n, keyId: 1, method: 'GET', path, status: 200, code: undefined, cost: 1, ms: 2 },
});
const times = (recent: ReturnType<typeof createRecentRequests>, user: number) => recent.of(user).map(({ at }) => at);
/** The numbers from `from` down to `thru`. */
const down = (from: number, thru: number) => Array.from({ length: from - thru + 1 }, (_, i) => from - i);

it('keeps the last 100 requests of each user, newest first', () => {
  const recent = createRecentRequests();
  for (let n = 1; n <= 3; n += 1) recent.note(7, request(n));
  expect(times(recent, 7)).toEqual([3, 2, 1]);
  for (let n = 4; n <= 100; n += 1) recent.note(7, request(n));
  expect(times(recent, 7)).toEqual(down(100, 1));
  for (let n = 101; n <= 250; n += 1) recent.note(7, request(n));
  expect(times(recent, 7)).toEqual(down(250, 151));
  recent.note(8, request(1));
  expect([times(recent, 8), times(recent, 9), recent.of(7).length]).toEqual([[1], [], 100]);
});

it('forgets the users who sent no request for longest, above the number of users', () => {
  const recent = createRecentRequests({ ...BOUNDS, users: 3 });
  for (const user of [1, 2, 3, 1, 4]) recent.note(user, request(user));
  expect([1, 2, 3, 4].map((user) => recent.of(user).length)).toEqual([2, 0, 1, 1]);
});

it('halves the requests of users who sent none for longest, above the number of bytes, and then forgets the users', () => {
  const bytes = 100_000;
  const recent = createRecentRequests({ ...BOUNDS, bytes });
  const long = '/'.repeat(BOUNDS.path);
  for (let user = 1; user <= 50; user += 1) {
    for (let n = 0; n < 250; n += 1) {
      recent.note(user, request(n, n % 2 === 0 ? long : '/'));
      expect(recent.bytes()).toBeLessThanOrEqual(bytes);
    }
    expect(times(recent, user)[0]).toBe(249);
    expect(recent.of(user).length).toBeGreaterThanOrEqual(50);
  }
  expect(recent.of(1)).toEqual([]);
  recent.clear();
  expect(recent.bytes()).toBe(0);
});

it('leaves each of many active users some of the newest requests', () => {
  const recent = createRecentRequests({ ...BOUNDS, bytes: 500_000 });
  const users = Array.from({ length: 100 }, (_, i) => i);
  for (let n = 1; n <= 300; n += 1) for (const user of users) recent.note(user, request(n));
  for (const user of users) {
    const kept = times(recent, user);
    expect(kept.length).toBeGreaterThanOrEqual(5);
    expect(kept).toEqual(down(300, 301 - kept.length));
  }
});

it('counts a replaced request by the difference of the lengths', () => {
  const recent = createRecentRequests({ ...BOUNDS, requests: 2 });
  recent.note(1, request(1, '/a'));
  recent.note(1, request(2, '/a'));
  const before = recent.bytes();
  recent.note(1, request(3, '/abc'));
  expect(recent.bytes() - before).toBe(2);
  recent.note(1, request(4, '/'));
  expect(recent.bytes() - before).toBe(1);
});

it('returns copies, which later requests do not change', () => {
  const recent = createRecentRequests({ ...BOUNDS, requests: 1 });
  recent.note(1, request(1, '/a'));
  const before = recent.of(1);
  recent.note(1, { at: 2, keyId: 3, method: 'POST', path: '/b', status: 404, code: 'not_found', cost: 0, ms: 4 });
  expect(before).toEqual([request(1, '/a')]);
  expect(recent.of(1)).toEqual([
    { at: 2, keyId: 3, method: 'POST', path: '/b', status: 404, code: 'not_found', cost: 0, ms: 4 },
  ]);
});

it('gives entries that a user lost to others, and changes no entry that the user kept', () => {
  const recent = createRecentRequests({ ...BOUNDS, bytes: 20_000 });
  for (let n = 1; n <= 100; n += 1) recent.note(1, request(n, `/one/${n}`));
  for (let n = 1; n <= 60; n += 1) recent.note(2, request(n, `/two/${n}`));
  expect(recent.of(1).length).toBeGreaterThan(0);
  for (const [user, name] of [
    [1, 'one'],
    [2, 'two'],
  ] as const)
    expect(recent.of(user)).toEqual(recent.of(user).map(({ at }) => request(at, `/${name}/${at}`)));
  expect(times(recent, 1)).toEqual(down(100, 101 - recent.of(1).length));
});
