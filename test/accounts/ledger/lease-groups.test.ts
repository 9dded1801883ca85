import { beforeEach, expect, it } from 'vitest';
import { extend, type Lease, newLease } from '#accounts/ledger/lease';
import { createLeaseGroups, type LeaseGroups } from '#accounts/ledger/lease-groups';
import { SECOND } from '#core/clock';

const START = Date.UTC(2026, 4, 10, 12);
const SIZE = 64;
const at = (elapsed: number) => ({ wall: START + elapsed, elapsed });

let groups: LeaseGroups;
beforeEach(() => {
  groups = createLeaseGroups();
});

/** A lease that calls are spent from. */
function lease(): Lease {
  const term = { plan: 'monthly', anchor: START, validUntil: START } as const;
  const made = newLease(crypto.randomUUID(), 1, { ...term, limit: 100 }, { keyId: 1, path: 1, cost: 1 }, START);
  extend(made, at(0));
  return made;
}

function assign(one: Lease, kind: 'busy' | 'resting' = 'busy'): number {
  const { slot } = groups.assign(one, kind, at(0));
  return slot;
}

/** Leases that the ledger has stored in the first places. */
function fill(count: number): Lease[] {
  const leases = Array.from({ length: count }, lease);
  for (const one of leases) {
    assign(one);
    groups.confirm(one, true);
  }
  return leases;
}

const groupOf = (one: Lease) => one.places.at(-1)?.group;

it('leases fill one group after another', () => {
  const leases = fill(SIZE + 1);
  expect(new Set(leases.map(groupOf)).size).toBe(2);
  expect(leases.slice(0, SIZE).map(({ places }) => places[0]?.slot)).toEqual([...Array(SIZE).keys()]);
  expect(groupOf(leases[SIZE] as Lease)).not.toBe(groupOf(leases[0] as Lease));
});

it('a lease moves to the first free place, and holds both places until the ledger has stored the second', () => {
  const leases = fill(3) as [Lease, Lease, Lease];
  const [first, second, last] = leases;
  groups.confirm(first, false);
  expect(first.places).toEqual([]);
  expect(assign(last)).toBe(0);
  expect(groupOf(last)?.leases).toEqual([last, second, last]);
  groups.confirm(last, true);
  expect(groupOf(last)?.leases).toEqual([last, second]);
  expect(assign(second)).toBe(1);
  expect(second.places).toHaveLength(1);
});

it('a lease in a full group stays there', () => {
  const leases = fill(2 * SIZE);
  const first = leases[0] as Lease;
  const place = groups.assign(first, 'busy', at(0));
  expect(first.places).toEqual([place]);
});

it('leases of idle users have other groups than those in use', () => {
  const [busy, idle] = [lease(), lease()];
  assign(busy);
  assign(idle, 'resting');
  expect(groupOf(busy)).not.toBe(groupOf(idle));
});

it('a group is due when a call was spent, and ten seconds after its last report', () => {
  const [first] = fill(2) as [Lease, Lease];
  expect(groups.due(at(9.9 * SECOND))).toEqual([]);
  expect(groups.due(at(10 * SECOND))).toEqual([groupOf(first)]);
  first.spent += 1;
  expect(groups.due(at(1))).toEqual([groupOf(first)]);
  first.closing = true;
  expect(groups.due(at(1))).toEqual([]);
});

it('a report contains the totals of all leases, and confirms those that calls are spent from', () => {
  const [first, second, third] = fill(3) as [Lease, Lease, Lease];
  [first.spent, second.spent, third.spent] = [5, 6, 7];
  second.closing = true;
  const group = groupOf(first) as never;
  expect(groups.report(group, at(1))).toMatchObject({
    report: { seq: 1, spent: [5, 6, 7] },
    leases: [
      { lease: first, spent: 5 },
      { lease: third, spent: 7 },
    ],
  });
  expect(groups.report(group, at(2))?.report.seq).toBe(2);
});

it.each(['close', 'abandon'] as const)('after %s, leases have no places, and the group is not reported', (how) => {
  const [first] = fill(2) as [Lease, Lease];
  const group = groupOf(first) as NonNullable<ReturnType<typeof groupOf>>;
  first.spent += 1;
  if (how === 'close') groups.close(group);
  else groups.abandon();
  expect(first.places).toEqual([]);
  expect(groups.due(at(20 * SECOND))).toEqual([]);
  expect(groups.report(group, at(20 * SECOND))).toBeUndefined();
  assign(first);
  expect(groupOf(first)).not.toBe(group);
});
