import { beforeEach, expect, it, vi } from 'vitest';
import { openKeyStore } from '#console/api/key-store';

/** A storage that behaves like a browser's. */
function storage() {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  };
}

let device: ReturnType<typeof storage>;
let tab: ReturnType<typeof storage>;
beforeEach(() => {
  [device, tab] = [storage(), storage()];
  vi.stubGlobal('localStorage', device);
  vi.stubGlobal('sessionStorage', tab);
  vi.useFakeTimers({ now: 1000 });
  return () => vi.useRealTimers();
});

it('forgets only the given key', () => {
  const store = openKeyStore('/');
  store.keep('one');
  store.keepOnDevice('two');
  store.forget('one');
  expect([store.tabKey(), store.deviceKey()]).toEqual([undefined, 'two']);
});

it('reports a sign-out to a tab that was suspended', () => {
  const asleep = openKeyStore('/');
  const other = openKeyStore('/');
  asleep.keep('key');
  vi.advanceTimersByTime(1000);
  other.noteEnd(7);
  expect([asleep.hasEnded(7), asleep.hasEnded(8)]).toEqual([true, false]);
  other.noteEnd(8);
  expect(asleep.hasEnded(7), 'another user has signed out since then').toBe(true);
  asleep.forget('key');
  vi.advanceTimersByTime(1000);
  asleep.keep('key');
  expect(asleep.hasEnded(7), 'a new sign-in follows the sign-out').toBe(false);
});

it('detects that another page in the tab has changed the key', () => {
  const store = openKeyStore('/');
  store.keep('one');
  expect(store.hasChanged()).toBe(false);
  tab.removeItem('quotient:key:/');
  expect(store.hasChanged()).toBe(true);
});
