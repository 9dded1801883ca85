import { endOf } from '#accounts/keys/key-problems';
import type { KeyHolder, UserStore } from '#accounts/keys/user-store';
import { type Clock, MINUTE } from '#core/clock';
import { withinDeadline } from '#database/deadline';

/** Keys per statement, which takes PostgreSQL 20 ms. */
const WRITTEN_AT_ONCE = 2_500;

export type Use = {
  /** The minute of the last use since 1970; 0 if this process has seen none. */
  usedMinute: number;
  pageOrigin: string | undefined;
};

export const UNUSED: Use = { usedMinute: 0, pageOrigin: undefined };

type Used = KeyHolder & Use;

/** To the minute: a call only compares a number. New minutes are written once a second, all keys together. */
export function createKeyUse({ store, clock }: { store: Pick<UserStore, 'recordUse'>; clock: Clock }) {
  const unwritten = new Set<Used>();

  /** Attempts with a key that has ended are not uses. */
  const counts = (key: Used): boolean => {
    const end = endOf(key, clock.now());
    return end === undefined || end === 'expired';
  };

  return {
    /** `now` in Unix ms; `pageOrigin` is set for a foreign page. */
    note(key: Used, now: number, pageOrigin?: string): void {
      const minute = Math.floor(now / MINUTE);
      if (key.usedMinute === minute && (pageOrigin === undefined || pageOrigin === key.pageOrigin)) return;
      key.usedMinute = minute;
      key.pageOrigin = pageOrigin ?? key.pageOrigin;
      unwritten.add(key);
    },

    /** Writes recorded uses up to a bound. Returns whether all were written. Throws `database_unavailable`. */
    async write(): Promise<boolean> {
      const keys: Used[] = [];
      for (const key of unwritten) {
        if (keys.length === WRITTEN_AT_ONCE) break;
        unwritten.delete(key);
        keys.push(key);
      }
      if (keys.length === 0) return true;
      const uses = keys
        .filter(counts)
        .map(({ id, usedMinute, pageOrigin }) => ({ id, at: usedMinute * MINUTE, origin: pageOrigin }));
      try {
        const missed = new Set(await withinDeadline(store.recordUse(uses)));
        for (const key of keys) if (missed.has(key.id)) unwritten.add(key);
      } catch (error) {
        for (const key of keys) unwritten.add(key);
        throw error;
      }
      return unwritten.size === 0;
    },
  };
}
