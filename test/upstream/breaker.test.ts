import { beforeEach, describe, expect, test } from 'vitest';
import { MINUTE, SECOND } from '#core/clock';
import { type Breaker, createBreaker } from '#upstream/circuit-breaker';

let breaker: Breaker;
beforeEach(() => {
  breaker = createBreaker();
});
const fail = (times: number, at = 0) => {
  for (let i = 0; i < times; i++) breaker.failed(at);
};

describe('closed', () => {
  test('accepts calls while failures are few or not consecutive', () => {
    fail(4);
    expect(breaker.request(0)).toBe(0);
    breaker.succeeded(0);
    fail(4);
    expect([breaker.request(0), breaker.request(0)]).toEqual([0, 0]);
  });

  test('opens at the fifth consecutive failure', () => {
    fail(5);
    expect(breaker.request(0)).toBe(10 * SECOND);
    expect(breaker.request(9_999)).toBe(1);
  });
});

test('reports its state', () => {
  expect(breaker.state(0)).toBe('closed');
  fail(5);
  expect([breaker.state(0), breaker.state(10 * SECOND)]).toEqual(['open', 'half_open']);
  breaker.request(10 * SECOND);
  expect(breaker.state(10 * SECOND)).toBe('half_open');
  breaker.succeeded(11 * SECOND);
  expect(breaker.state(11 * SECOND)).toBe('closed');
  breaker.rateLimited(12 * SECOND, SECOND);
  expect([breaker.state(12 * SECOND), breaker.state(13 * SECOND)]).toEqual(['open', 'half_open']);
});

describe('a half-open breaker', () => {
  beforeEach(() => fail(5));

  test('accepts one call, and further calls after its success', () => {
    expect(breaker.request(10 * SECOND)).toBe(0);
    expect(breaker.request(10 * SECOND)).toBeGreaterThan(0);
    breaker.succeeded(11 * SECOND);
    expect([breaker.request(11 * SECOND), breaker.request(11 * SECOND)]).toEqual([0, 0]);
  });

  test('accepts another call if the first one was not made', () => {
    expect(breaker.request(10 * SECOND)).toBe(0);
    breaker.cancelled();
    expect(breaker.request(10 * SECOND)).toBe(0);
  });

  test('opens for twice as long each time, up to five minutes, and starts again after a success', () => {
    const waits: number[] = [];
    let now = 0;
    for (let i = 0; i < 8; i++) {
      const wait = breaker.request(now);
      waits.push(wait / SECOND);
      now += wait;
      expect(breaker.request(now)).toBe(0);
      breaker.failed(now);
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
    now += breaker.request(now);
    breaker.request(now);
    breaker.succeeded(now);
    fail(5, now);
    expect(breaker.request(now)).toBe(10 * SECOND);
  });
});

describe('an upstream that limits the rate', () => {
  test('is not called for the requested time, or for a minute', () => {
    breaker.rateLimited(0, 119 * SECOND);
    expect(breaker.request(1)).toBe(119 * SECOND - 1);
    breaker.rateLimited(200 * SECOND);
    expect(breaker.request(200 * SECOND)).toBe(MINUTE);
  });

  test('is not called earlier if a later response requests a shorter time', () => {
    breaker.rateLimited(0, 60 * SECOND);
    breaker.rateLimited(0, SECOND);
    expect(breaker.request(0)).toBe(60 * SECOND);
  });

  test('is not called earlier if a call that was in progress succeeds', () => {
    breaker.rateLimited(0, 60 * SECOND);
    breaker.succeeded(SECOND);
    expect(breaker.request(SECOND)).toBe(59 * SECOND);
  });

  test('is then probed with one call', () => {
    breaker.rateLimited(0, 60 * SECOND);
    expect(breaker.request(MINUTE)).toBe(0);
    expect(breaker.request(MINUTE)).toBeGreaterThan(0);
  });
});

test('concurrent calls that all fail open the breaker once', () => {
  fail(5 + 7);
  expect(breaker.request(0)).toBe(10 * SECOND);
});

test('with few calls, a failing upstream is probed as rarely as the schedule allows', () => {
  const seldom = 40 * MINUTE;
  const waits: number[] = [];
  let now = 0;
  for (let i = 0; i < 5 + 9; i++) {
    now += breaker.request(now);
    expect(breaker.request(now)).toBe(0);
    breaker.failed(now, seldom);
    if (i >= 4) waits.push(breaker.request(now) / SECOND);
  }
  expect(waits).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 2400, 2400]);
});
