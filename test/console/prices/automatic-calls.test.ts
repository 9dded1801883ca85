import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openAutoRefresh, openReserve } from '#console/prices/auto-refresh';
import { openLive } from '#console/prices/live';
import { MINUTE } from '#core/clock';

let left: { remaining: number; limit: number } | undefined;
let isBlocked: boolean;
const refresh = vi.fn(async () => undefined);
const onVisible: (() => void)[] = [];
const page = { hidden: false, addEventListener: (_: string, listener: () => void) => onVisible.push(listener) };

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', page);
  vi.stubGlobal('localStorage', new Map());
  left = { remaining: 100, limit: 100 };
  isBlocked = false;
  page.hidden = false;
  refresh.mockClear();
});
afterEach(() => void vi.useRealTimers());

const reserveOf = () => openReserve({ left: () => left });
function open() {
  const reserve = reserveOf();
  return { reserve, auto: openAutoRefresh({ reserve, isBlocked: () => isBlocked, refresh }) };
}

it('refreshes every five minutes while the page is visible, once it is turned on', async () => {
  const { auto } = open();
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  expect([auto.isOn.value, refresh.mock.calls.length]).toEqual([false, 0]);
  auto.turn(true);
  await vi.advanceTimersByTimeAsync(5 * MINUTE);
  expect(refresh).toHaveBeenCalledTimes(1);
  page.hidden = true;
  await vi.advanceTimersByTimeAsync(60 * MINUTE);
  expect(refresh).toHaveBeenCalledTimes(1);
  page.hidden = false;
  for (const listener of onVisible) listener();
  await vi.advanceTimersByTimeAsync(0);
  expect(refresh).toHaveBeenCalledTimes(2);
  auto.turn(false);
  await vi.advanceTimersByTimeAsync(60 * MINUTE);
  expect(refresh).toHaveBeenCalledTimes(2);
});

it('stops below the reserve, and when calls with the key are rejected', async () => {
  const { reserve, auto } = open();
  auto.turn(true);
  left = { remaining: 9, limit: 100 };
  await vi.advanceTimersByTimeAsync(5 * MINUTE);
  const stopped = 'Auto-refresh is off: less than 10% of the allowance is left.';
  expect([auto.isOn.value, auto.reason.value, refresh.mock.calls.length]).toEqual([false, stopped, 0]);
  auto.turn(true);
  expect(auto.isOn.value, 'too little is left').toBe(false);
  reserve.set('5');
  expect(auto.reason.value).toBe('');
  auto.turn(true);
  expect(auto.isOn.value, '9 of 100 calls are more than 5%').toBe(true);
  reserve.set('25');
  expect(auto.reason.value).toBe('Auto-refresh is off: less than 25% of the allowance is left.');
  left = undefined;
  auto.turn(true);
  isBlocked = true;
  await vi.advanceTimersByTimeAsync(5 * MINUTE);
  expect(auto.reason.value).toBe('Auto-refresh is off: calls with this key are rejected.');
});

it('does not open a stream of live prices below the reserve', () => {
  vi.stubGlobal('addEventListener', () => undefined);
  left = { remaining: 9, limit: 100 };
  const session = { user: { key: 1 }, client: {}, baseUrl: 'http://localhost/' };
  const needs = {
    ...{ session, currency: { code: 'usd' }, allowance: {}, isVisible: () => true },
    ...{ reserve: reserveOf(), onPrice: () => undefined },
  };
  const live = openLive(needs as unknown as Parameters<typeof openLive>[0]);
  live.show(['bitcoin']);
  live.turn(true);
  expect([live.isOn.value, live.isConnected.value, live.reason.value]).toEqual([
    true,
    false,
    'Live prices are off: less than 10% of the allowance is left.',
  ]);
  live.turn(false);
  expect(live.reason.value).toBe('');
});
