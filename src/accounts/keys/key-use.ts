import { endOf } from '#accounts/keys/key-problems';
import type { KeyHolder, UserStore } from '#accounts/keys/user-store';
import { type Clock, MINUTE } from '#core/clock';
import { withinDeadline } from '#database/deadline';

/** Keys in one statement at most: it takes PostgreSQL some 20 ms. */
const WRITTEN_AT_ONCE = 2_500;

/** What this process noted of a key's use since it learnt of the key. */
export type Use = {
  /** The minute in which it was used last, counted from 1970; 0 when it was not. */
  usedMinute: number;
  /** The origin of the last page of another site that used it, noted of owner keys. */
  pageOrigin: string | undefined;
};

export const UNUSED: Use = { usedMinute: 0, pageOrigin: undefined };

type Used = KeyHolder & Use;

/**
 * When keys were used, to the minute: a call compares a number, and what is new is written once a second, for all keys
 * together. What could not be written is written later.
 */
export function createKeyUse({ store, clock }: { store: Pick<UserStore, 'recordUse'>; clock: Clock }) {
  const unwritten = new Set<Used>();

  /** Whether a use still tells somebody something. Attempts with a key that has ended are no uses. */
  const counts = (key: Used): boolean => {
    const end = endOf(key, clock.now());
    return end === undefined || end === 'expired';
  };

  return {
    /** A key is used now (Unix ms), by a page of that origin if it is one of another site. */
    note(key: Used, now: number, pageOrigin?: string): void {
      const minute = Math.floor(now / MINUTE);
      if (key.usedMinute === minute && (pageOrigin === undefined || pageOrigin === key.pageOrigin)) return;
      key.usedMinute = minute;
      key.pageOrigin = pageOrigin ?? key.pageOrigin;
      unwritten.add(key);
    },

    /** Writes what was noted, up to a bound; tells whether all of it was. Throws `database_unavailable`. */
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
