import { beforeEach, describe, expect, it } from 'vitest';
import { BOUNDS, createRecentRequests } from '#requests/recent-requests';

const request = (n: number, path = '/v1/tokens') => ({
  ...{ at: n, keyId: 1, method: 'GET', path, status: 200, code: undefined, detail: undefined, cost: 1, ms: 2 },
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
  const bytes = 150_000;
  const recent = createRecentRequests({ ...BOUNDS, bytes });
  const long = '/'.repeat(BOUNDS.text);
  for (let user = 1; user <= 50; user += 1) {
    for (let n = 0; n < 250; n += 1) {
      recent.note(user, request(250 * user + n, n % 2 === 0 ? long : '/'));
      expect(recent.bytes()).toBeLessThanOrEqual(bytes);
    }
    expect(times(recent, user)[0]).toBe(250 * user + 249);
    expect(recent.of(user).length).toBeGreaterThanOrEqual(50);
  }
  expect(recent.of(1)).toEqual([]);
  recent.clear();
  expect(recent.bytes()).toBe(0);
});

it('leaves each of many active users some of the newest requests', () => {
  const recent = createRecentRequests({ ...BOUNDS, bytes: 750_000 });
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

it('needs more memory for requests when a ring is full, and otherwise only for paths', () => {
  const recent = createRecentRequests();
  const sizes = [1, 2, 3, 4, 5].map((n) => {
    recent.note(1, request(n, '/'));
    return recent.bytes();
  });
  const growth = sizes.slice(1).map((size, i) => size - (sizes[i] as number));
  expect(growth.slice(0, 3)).toEqual([1, 1, 1]);
  expect(growth[3]).toBeGreaterThan(100);
});

it('returns copies, which later requests do not change', () => {
  const recent = createRecentRequests({ ...BOUNDS, requests: 1 });
  recent.note(1, request(1, '/a'));
  const before = recent.of(1);
  const [code, detail] = ['not_found', 'This path does not exist.'] as const;
  const next = { at: 2, keyId: 3, method: 'POST', path: '/b', status: 404, code, detail, cost: 0, ms: 4 };
  recent.note(1, next);
  expect(before).toEqual([request(1, '/a')]);
  expect(recent.of(1)).toEqual([next]);
});

describe('above the bound of bytes', () => {
  const USERS = Array.from({ length: 20 }, (_, i) => i);
  let recent: ReturnType<typeof createRecentRequests>;
  let clock = 0;
  const lengths = () => USERS.map((user) => recent.of(user).length);
  /** All users send a request in turn. */
  function rounds(count: number) {
    for (let n = 0; n < count; n += 1) for (const user of USERS) recent.note(user, request(clock++));
  }

  beforeEach(() => {
    recent = createRecentRequests({ ...BOUNDS, bytes: 150_000 });
    rounds(300);
  });

  it('equally active users do not take requests from each other', () => {
    const before = lengths();
    for (let n = 0; n < 100; n += 1) {
      rounds(1);
      expect(lengths()).toEqual(before);
    }
  });

  it('active users take the room of users who are silent', () => {
    expect(Math.max(...lengths())).toBeLessThan(BOUNDS.requests);
    for (let n = 0; n < 300; n += 1) recent.note(7, request(clock++));
    expect(recent.of(7).length).toBe(BOUNDS.requests);
  });

  it('a new user gets as much room as the others', () => {
    USERS.push(20);
    rounds(300);
    USERS.pop();
    expect(recent.of(20).length).toBeGreaterThanOrEqual(Math.min(...lengths()));
  });

  it('silent users lose the older half of their requests in turn', () => {
    const silent = USERS.slice(0, 10);
    recent = createRecentRequests({ ...BOUNDS, bytes: 149_000 });
    for (const user of silent) for (let n = 1; n <= 100; n += 1) recent.note(user, request(n));
    for (const user of silent) expect(recent.of(user).length).toBe(100);
    for (let n = 1; recent.of(0).length === 100; n += 1) recent.note(99, request(1000 + n, '/'.repeat(100)));
    expect(times(recent, 0)).toEqual(down(100, 51));
    for (let n = 1; recent.of(1).length === 100; n += 1) recent.note(99 + n, request(2000 + n, '/'.repeat(100)));
    expect(times(recent, 0)).toEqual(down(100, 51));
    expect(times(recent, 1)).toEqual(down(100, 51));
  });
});
