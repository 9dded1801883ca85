import { detailText } from '#accounts/usage/call-details';
import { type Instant, SECOND } from '#core/clock';
import { isUsable, type Lease, type LeaseGroup, newId, type Place } from './lease.ts';
import type { GroupReport } from './lease-report-store.ts';

/**
 * Leases per group. A group's row is written when one of its leases has new calls. The row consists of 100 bytes and
 * 4 for each lease, so larger groups would save little if all their leases are in use, and cost more if few are.
 */
const GROUP_SIZE = 64;
/** A group with open leases is reported at least this often to keep them alive, in ms. */
const REPORT_EVERY = 10 * SECOND;

/** Leases of idle users have groups of their own, which are reported less often. */
type Kind = 'busy' | 'resting';

/** A report of a group, and the leases that it confirms, with the reported calls. */
export type SentGroup = { group: LeaseGroup; report: GroupReport; leases: { lease: Lease; spent: number }[] };

/** Assigns the leases of this process to groups, which are reported together. */
export function createLeaseGroups() {
  const groups: Record<Kind, LeaseGroup[]> = { busy: [], resting: [] };

  /** The first free place. If there is none before the place `held`, returns `held`. */
  function firstPlace(kind: Kind, held: Place | undefined, now: Instant): Place {
    for (const group of groups[kind]) {
      if (group.held < GROUP_SIZE) {
        const hole = group.leases.indexOf(undefined);
        const slot = hole < 0 ? group.leases.length : hole;
        return group === held?.group && slot > held.slot ? held : { group, slot };
      }
      if (group === held?.group) return held;
    }
    const group: LeaseGroup = { id: newId(now.wall), leases: [], held: 0, seq: 0, reportedAt: now.elapsed };
    groups[kind].push(group);
    return { group, slot: 0 };
  }

  /** Only leases that calls are spent from count: all others are settled in the same tick. */
  function isDue({ leases, reportedAt }: LeaseGroup, now: Instant): boolean {
    const isOld = now.elapsed - reportedAt >= REPORT_EVERY;
    return leases.some((lease) => lease && (isOld || lease.spent !== lease.settled) && isUsable(lease, now));
  }

  function leave({ group, slot }: Place): void {
    group.leases[slot] = undefined;
    group.held -= 1;
    while (group.leases.length > 0 && group.leases.at(-1) === undefined) group.leases.pop();
  }

  /** Takes the places of all leases of a group away. It is not reported again. */
  function dissolve(group: LeaseGroup): void {
    for (const lease of group.leases) if (lease) lease.places = lease.places.filter((place) => place.group !== group);
    group.leases.length = 0;
  }

  return {
    /**
     * Assigns a place to a lease that is about to be settled. Leases move to the first free places, so that groups stay
     * full. A lease keeps its earlier place until `confirm`.
     */
    assign(lease: Lease, kind: Kind, now: Instant): Place {
      const held = lease.places.at(-1);
      const place = firstPlace(kind, held, now);
      if (place !== held) {
        place.group.leases[place.slot] = lease;
        place.group.held += 1;
        lease.places.push(place);
      }
      return place;
    },

    /** Leaves all places of a lease except the last, which the ledger has stored; `isOpen`: whether it keeps that one. */
    confirm(lease: Lease, isOpen: boolean): void {
      const left = isOpen ? lease.places.slice(0, -1) : lease.places;
      lease.places = isOpen ? lease.places.slice(-1) : [];
      left.forEach(leave);
    },

    /** The groups with unreported calls, and those that have to be kept alive. */
    due: (now: Instant): LeaseGroup[] => [...groups.busy, ...groups.resting].filter((group) => isDue(group, now)),

    /** The report of a group; undefined if it is no longer due. */
    report(group: LeaseGroup, now: Instant): SentGroup | undefined {
      if (!isDue(group, now)) return undefined;
      group.seq += 1;
      group.reportedAt = now.elapsed;
      const spent = group.leases.map((lease) => lease?.spent ?? 0);
      const usable = group.leases.filter((lease) => lease !== undefined && isUsable(lease, now)) as Lease[];
      const leases = usable.map((lease) => ({ lease, spent: lease.spent }));
      const isDetailed = group.leases.some((lease) => lease !== undefined && lease.others.length > 0);
      const details = isDetailed ? group.leases.map((lease) => (lease ? detailText(lease) : '')) : undefined;
      return { group, report: { id: group.id, seq: group.seq, spent, details }, leases };
    },

    /** Another process has closed the group. Its leases have to be settled. */
    close(group: LeaseGroup): void {
      for (const kind of ['busy', 'resting'] as const) groups[kind] = groups[kind].filter((one) => one !== group);
      dissolve(group);
    },

    /**
     * Dissolves all groups. After a failure, it is unknown which leases the ledger has, and in which places: a statement
     * that timed out can still open a lease. Such a lease must not share the place of a later one, and must expire.
     */
    abandon(): void {
      for (const kind of ['busy', 'resting'] as const) groups[kind].splice(0).forEach(dissolve);
    },
  };
}

export type LeaseGroups = ReturnType<typeof createLeaseGroups>;
