import { endOf } from '#accounts/keys/key-problems';
import type { KeyHolder, UserStore } from '#accounts/keys/user-store';
import { type Clock, MINUTE } from '#core/clock';
import { withinDeadline } from '#database/deadline';

/** Keys per statement. A statement with this many keys takes PostgreSQL 20 ms. */
const WRITTEN_AT_ONCE = 2_500;

export type Use = {
  /** The minute of the last use, counted from 1970; 0 if this process has seen no use. */
  usedMinute: number;
  pageOrigin: string | undefined;
};

export const UNUSED: Use = { usedMinute: 0, pageOrigin: undefined };

type Used = KeyHolder & Use;

/**
 * Records uses to the minute: a call only compares two numbers. New minutes are written once a second, for all keys.
 */
export function createKeyUse({ store, clock }: { store: Pick<UserStore, 'recordUse'>; clock: Clock }) {
  const unwritten = new Set<Used>();

  /** Attempts with an ended key do not count as uses, unless only the user's term has ended. */
  const counts = (key: Used): boolean => {
    const end = endOf(key, clock.now());
    return end === undefined || end === 'expired';
  };

  return {
    /** `now` is in Unix ms; `pageOrigin` is set for a foreign page. */
    note(key: Used, now: number, pageOrigin?: string): void {
      const minute = Math.floor(now / MINUTE);
      if (key.usedMinute === minute && (pageOrigin === undefined || pageOrigin === key.pageOrigin)) return;
      key.usedMinute = minute;
      key.pageOrigin = pageOrigin ?? key.pageOrigin;
      unwritten.add(key);
    },

    /** Writes a bounded number of recorded uses. Returns whether all were written. Throws `database_unavailable`. */
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
