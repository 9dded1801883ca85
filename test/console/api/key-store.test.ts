import { beforeEach, expect, it, vi } from 'vitest';
import { openKeyStore } from '#console/api/key-store';

/** A storage as a browser's. */
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

it('keeps the key in the tab, and on the device on request', () => {
  const store = openKeyStore('/market/');
  store.keep('one');
  expect(tab.kept.get('quotient:key:/market/')).toBe('one');
  expect(device.kept.size).toBe(0);
  store.keepOnDevice('one');
  expect(device.kept.get('quotient:key:/market/')).toBe('one');
  store.setUnsaved(true);
  store.forget('one');
  expect([tab.kept.size, device.kept.size]).toEqual([0, 0]);
});

it('forgets no key but the one that is named', () => {
  const store = openKeyStore('/');
  store.keep('one');
  store.keepOnDevice('two');
  store.forget('one');
  expect([store.tabKey(), store.deviceKey()]).toEqual([undefined, 'two']);
});

it('knows of a sign-out that a sleeping tab did not hear of', () => {
  const [asleep, other] = [openKeyStore('/'), openKeyStore('/')];
  asleep.keep('key');
  vi.advanceTimersByTime(1000);
  other.noteEnd(7);
  expect([asleep.hasEnded(7), asleep.hasEnded(8)]).toEqual([true, false]);
  other.noteEnd(8);
  expect(asleep.hasEnded(7), 'another user has signed out since').toBe(true);
  asleep.forget('key');
  vi.advanceTimersByTime(1000);
  asleep.keep('key');
  expect(asleep.hasEnded(7), 'who signs in again is signed in').toBe(false);
});

it('knows that another page of the tab has changed the key', () => {
  const store = openKeyStore('/');
  store.keep('one');
  expect(store.hasChanged()).toBe(false);
  tab.removeItem('quotient:key:/');
  expect(store.hasChanged()).toBe(true);
});

it('does without a storage that throws', () => {
  const refuse = (): never => {
    throw new DOMException('blocked', 'SecurityError');
  };
  const blocked = { getItem: refuse, setItem: refuse, removeItem: refuse };
  vi.stubGlobal('localStorage', blocked);
  vi.stubGlobal('sessionStorage', blocked);
  const store = openKeyStore('/');
  store.keep('one');
  store.keepOnDevice('one');
  store.setUnsaved(true);
  store.noteEnd(7);
  store.forget('one');
  expect([store.tabKey(), store.deviceKey(), store.isUnsaved(), store.hasEnded(7), store.hasChanged()]).toEqual([
    ...[undefined, undefined, false, false, false],
  ]);
});
