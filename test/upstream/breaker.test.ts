import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { MINUTE, SECOND } from '#core/clock';
import { type Breaker, createBreaker } from '#upstream/circuit-breaker';

let breaker: Breaker;
beforeEach(() => {
  breaker = createBreaker();
});
/** Every test of a single circuit holds for a failing path, and for failures of the whole upstream. */
const CIRCUITS = [
  ['a path', false],
  ['the upstream', true],
] as const;
const PATH = '/coins/markets';
const OTHER = '/coins/solana/market_chart';
let isOfSource = false;
const fail = (times: number, at = 0, path = PATH) => {
  for (let i = 0; i < times; i++) breaker.failed(at, path, { isOfSource });
};

describe.each(CIRCUITS)('the circuit of %s', (_name, ofSource) => {
  beforeEach(() => {
    isOfSource = ofSource;
  });

  describe('closed', () => {
    test('accepts calls while failures are few or not consecutive', () => {
      fail(4);
      expect(breaker.request(0, PATH)).toBe(0);
      breaker.succeeded(0, PATH);
      fail(4);
      expect([breaker.request(0, PATH), breaker.request(0, PATH)]).toEqual([0, 0]);
    });

    test('opens at the fifth consecutive failure', () => {
      fail(5);
      expect(breaker.request(0, PATH)).toBe(10 * SECOND);
      expect(breaker.request(9_999, PATH)).toBe(1);
    });
  });

  test('reports its state', () => {
    expect(breaker.state(0)).toBe('closed');
    fail(5);
    expect([breaker.state(0), breaker.state(10 * SECOND)]).toEqual(['open', 'half_open']);
    breaker.request(10 * SECOND, PATH);
    expect(breaker.state(10 * SECOND)).toBe('half_open');
    breaker.succeeded(11 * SECOND, PATH);
    expect(breaker.state(11 * SECOND)).toBe('closed');
    breaker.rateLimited(12 * SECOND, SECOND);
    expect([breaker.state(12 * SECOND), breaker.state(13 * SECOND)]).toEqual(['open', 'half_open']);
  });

  describe('a half-open breaker', () => {
    beforeEach(() => fail(5));

    test('accepts one call, and further calls after its success', () => {
      expect(breaker.request(10 * SECOND, PATH)).toBe(0);
      expect(breaker.request(10 * SECOND, PATH)).toBeGreaterThan(0);
      breaker.succeeded(11 * SECOND, PATH);
      expect([breaker.request(11 * SECOND, PATH), breaker.request(11 * SECOND, PATH)]).toEqual([0, 0]);
    });

    test('accepts another call if the first one was not made', () => {
      expect(breaker.request(10 * SECOND, PATH)).toBe(0);
      breaker.cancelled(PATH);
      expect(breaker.request(10 * SECOND, PATH)).toBe(0);
    });

    test('opens for twice as long each time, up to five minutes, and starts again after a success', () => {
      const waits: number[] = [];
      let now = 0;
      for (let i = 0; i < 8; i++) {
        const wait = breaker.request(now, PATH);
        waits.push(wait / SECOND);
        now += wait;
        expect(breaker.request(now, PATH)).toBe(0);
        breaker.failed(now, PATH, { isOfSource });
      }
      expect(waits).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
      now += breaker.request(now, PATH);
      breaker.request(now, PATH);
      breaker.succeeded(now, PATH);
      fail(5, now);
      expect(breaker.request(now, PATH)).toBe(10 * SECOND);
    });
  });

  test('concurrent calls that all fail open the breaker once', () => {
    fail(5 + 7);
    expect(breaker.request(0, PATH)).toBe(10 * SECOND);
  });

  test('with few calls, a failing upstream is probed as rarely as the schedule allows', () => {
    const seldom = 40 * MINUTE;
    const waits: number[] = [];
    let now = 0;
    for (let i = 0; i < 5 + 9; i++) {
      now += breaker.request(now, PATH);
      expect(breaker.request(now, PATH)).toBe(0);
      breaker.failed(now, PATH, { spacing: seldom, isOfSource });
      if (i >= 4) waits.push(breaker.request(now, PATH) / SECOND);
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 2400, 2400]);
  });
});

describe('an upstream that limits the rate', () => {
  test('is not called for the requested time, or for a minute', () => {
    breaker.rateLimited(0, 119 * SECOND);
    expect(breaker.request(1, PATH)).toBe(119 * SECOND - 1);
    breaker.rateLimited(200 * SECOND);
    expect(breaker.request(200 * SECOND, PATH)).toBe(MINUTE);
  });

  test('is not called earlier if a later response requests a shorter time', () => {
    breaker.rateLimited(0, 60 * SECOND);
    breaker.rateLimited(0, SECOND);
    expect(breaker.request(0, PATH)).toBe(60 * SECOND);
  });

  test('is not called earlier if a call that was in progress succeeds', () => {
    breaker.rateLimited(0, 60 * SECOND);
    breaker.succeeded(SECOND, PATH);
    expect(breaker.request(SECOND, PATH)).toBe(59 * SECOND);
  });

  test('is then probed with one call', () => {
    breaker.rateLimited(0, 60 * SECOND);
    expect(breaker.request(MINUTE, PATH)).toBe(0);
    expect(breaker.request(MINUTE, PATH)).toBeGreaterThan(0);
  });
});

describe('a failing path', () => {
  beforeEach(() => {
    isOfSource = false;
  });

  test('pauses only itself, however often it fails', () => {
    for (let now = 0; now < 60 * MINUTE; now += SECOND) {
      if (breaker.request(now, PATH) === 0) breaker.failed(now, PATH);
      expect(breaker.request(now, OTHER)).toBe(0);
      breaker.succeeded(now, OTHER);
    }
    expect([breaker.state(60 * MINUTE), breaker.pausedPaths(60 * MINUTE)]).toEqual(['closed', 1]);
    const end = 60 * MINUTE + breaker.request(60 * MINUTE, PATH);
    breaker.succeeded(end, PATH);
    expect(breaker.pausedPaths(end)).toBe(0);
  });

  test('does not pause the upstream even if no other path is requested', () => {
    for (let now = 0; now < 60 * MINUTE; now += SECOND) if (breaker.request(now, PATH) === 0) breaker.failed(now, PATH);
    expect(breaker.request(60 * MINUTE, OTHER)).toBe(0);
    // No call has succeeded, so the upstream may be down.
    expect(breaker.state(60 * MINUTE)).not.toBe('closed');
  });

  test('pauses the upstream together with two others, unless a call succeeds in between', () => {
    fail(2, 0, '/a');
    fail(2, 0, '/b');
    breaker.succeeded(0, OTHER);
    fail(2, 0, '/c');
    expect(breaker.request(0, OTHER)).toBe(0);
    fail(2, 0, '/a');
    fail(1, 0, '/b');
    expect(breaker.request(0, OTHER)).toBe(10 * SECOND);
    expect(breaker.pausedPaths(0)).toBe(0);
  });

  test('lets another path make the next probe after its own failed', () => {
    for (const path of ['/a', '/b', '/c']) fail(2, 0, path);
    let now = breaker.request(0, '/a');
    expect(breaker.request(now, '/a')).toBe(0);
    breaker.failed(now, '/a');
    now += breaker.request(now, OTHER);
    expect(breaker.request(now, '/a')).toBeGreaterThan(0);
    expect(breaker.request(now, OTHER)).toBe(0);
    breaker.succeeded(now, OTHER);
    for (const path of ['/a', '/b', '/c']) expect(breaker.request(now, path)).toBe(0);
  });

  test('uses bounded memory', () => {
    for (let i = 0; i < 3000; i++) {
      breaker.failed(0, `/${i}`);
      breaker.succeeded(0, OTHER);
    }
    expect(breaker.pausedPaths(0)).toBe(0);
    for (let i = 0; i < 3000; i++) {
      for (let times = 0; times < 5; times++) breaker.failed(0, `/${i}`);
      breaker.succeeded(0, OTHER);
    }
    expect(breaker.pausedPaths(0)).toBe(1000);
  });
});

describe('in any order of calls', () => {
  const step = fc.record({
    path: fc.constantFrom('/dead', '/b', '/c', '/d'),
    after: fc.integer({ min: 0, max: 2 * MINUTE }),
    outcome: fc.constantFrom('ok', 'failed', 'cancelled', 'rate_limited', 'of source'),
  });

  test('a path that always fails never delays another path by more than a probe', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const mine = createBreaker();
        let now = 0;
        for (const { path, after } of steps) {
          now += after;
          if (mine.request(now, path) > 0) continue;
          if (path === '/dead') mine.failed(now, path);
          else mine.succeeded(now, path);
          expect(mine.request(now, '/e')).toBe(0);
          mine.cancelled('/e');
        }
      }),
    );
  });

  test('every circuit closes after its fault: each path is called again within ten minutes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const mine = createBreaker();
        let now = 0;
        for (const { path, after, outcome } of steps) {
          now += after;
          if (mine.request(now, path) > 0) continue;
          if (outcome === 'ok') mine.succeeded(now, path);
          else if (outcome === 'cancelled') mine.cancelled(path);
          else if (outcome === 'rate_limited') mine.rateLimited(now, 30 * SECOND);
          else mine.failed(now, path, { isOfSource: outcome === 'of source' });
        }
        const end = now + 10 * MINUTE;
        const called = new Set<string>();
        for (; now <= end; now += SECOND) {
          for (const path of ['/dead', '/b', '/c', '/d']) {
            if (mine.request(now, path) > 0) continue;
            mine.succeeded(now, path);
            called.add(path);
          }
        }
        expect([...called].sort()).toEqual(['/b', '/c', '/d', '/dead']);
        expect([mine.state(now), mine.pausedPaths(now)]).toEqual(['closed', 0]);
      }),
    );
  });
});
