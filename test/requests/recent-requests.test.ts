import { beforeEach, expect, it } from 'vitest';
import { HOUR } from '#core/clock';
import { createRecentRequests } from '#requests/recent-requests';
import { createTestClock } from '../../fixtures/clock.ts';

const clock = createTestClock('2026-01-31T12:00:00Z');
const open = (bounds?: Parameters<typeof createRecentRequests>[1]) => createRecentRequests(clock, bounds);
let recent: ReturnType<typeof open>;
beforeEach(() => {
  recent = open();
});

/** Ends a request with a status. `cost` distinguishes the requests. */
function end(user: number, status: number, cost = 0): void {
  const request = { at: clock.now(), keyId: 1, method: 'GET', path: '/', status, detail: undefined, cost, ms: 2 };
  const listed = { ...request, code: undefined };
  if (recent.isRecorded(user, listed)) recent.add(user, listed);
}
const costs = (user: number) => recent.read(user).requests.map(({ cost }) => cost);
/** The numbers from `from` to `thru`. */
const upTo = (from: number, thru: number) => Array.from({ length: thru - from + 1 }, (_, i) => from + i);

it('keeps the last 100 failed requests of each user, also while the log is not read', () => {
  for (const n of upTo(1, 250)) end(7, 400 + (n % 2) * 100, n);
  end(8, 499, 1);
  expect([costs(7), costs(8), costs(9)]).toEqual([upTo(151, 250), [1], []]);
});

it('keeps successful requests only for an hour after a read, and then forgets them', () => {
  end(7, 200, 1);
  const start = clock.now();
  expect(recent.read(7)).toEqual({ recordingSince: null, requests: [] });
  end(7, 200, 2);
  end(8, 200, 3);
  clock.advance(HOUR - 1);
  end(7, 200, 4);
  expect(recent.read(7)).toMatchObject({ recordingSince: start, requests: [{ cost: 2 }, { cost: 4 }] });
  clock.advance(HOUR - 1);
  expect(recent.read(7)).toMatchObject({ recordingSince: start, requests: [{ cost: 2 }, { cost: 4 }] });
  clock.advance(HOUR);
  end(7, 200, 5);
  end(7, 500, 6);
  expect(recent.read(7)).toMatchObject({ recordingSince: null, requests: [{ cost: 6 }] });
});

it('keeps the last 100 successful requests, which do not replace failed ones', () => {
  end(7, 404, 0);
  recent.read(7);
  for (const n of upTo(1, 250)) end(7, 200, n);
  expect(costs(7)).toEqual([0, ...upTo(151, 250)]);
});

it('forgets the users who were inactive for longest, above the number of requests of all users', () => {
  recent = open({ requests: 100, ofAll: 6 });
  for (const user of [1, 2, 3]) for (const n of [1, 2]) end(user, 400, n);
  end(1, 400, 3);
  expect([1, 2, 3].map((user) => costs(user).length)).toEqual([3, 0, 2]);

  // An empty recording counts as one request.
  recent = open({ requests: 100, ofAll: 6 });
  for (const user of [1, 2, 3]) recent.read(user);
  for (const user of [1, 2, 3, 1]) end(user, 200);
  const { recordingSince } = recent.read(1);
  expect([recordingSince, recent.read(2).recordingSince]).toEqual([clock.now(), null]);
});

it('forgets all requests of a user, or of all users', () => {
  for (const user of [1, 2, 3]) {
    recent.read(user);
    for (const status of [200, 400]) end(user, status);
  }
  recent.forget(2);
  expect([recent.read(1).requests.length, recent.read(2)]).toEqual([2, { recordingSince: null, requests: [] }]);
  recent.clear();
  expect([recent.read(1), recent.read(3)].map(({ recordingSince }) => recordingSince)).toEqual([null, null]);
});

it('returns copies, which later requests do not change', () => {
  recent.read(1);
  const before = [recent.read(1)];
  end(1, 200);
  end(1, 400);
  expect(before[0]?.requests).toEqual([]);
});
