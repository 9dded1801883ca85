import type { Mutations } from '../mutation.ts';

/** Leased calls: granting, spending and returning them, the calls that idle leases keep, admission, and the period. */
export const leases: Mutations[] = [
  {
    file: 'src/accounts/ledger/plan.ts',
    tests: ['accounts/ledger/plan.test.ts'],
    changes: [
      ['  date.setUTCDate(1);\n', ''],
      ['Math.min(day, lastDay)', 'Math.max(day, lastDay)'],
      ['boundary(plan, anchor, n) > instant', 'boundary(plan, anchor, n) >= instant'],
      ['now >= term.validUntil', 'now > term.validUntil'],
      ['term.validUntil > running.end', 'term.validUntil >= running.end'],
    ],
  },
  {
    file: 'src/accounts/ledger/lease.ts',
    tests: ['accounts/ledger/lease.test.ts'],
    changes: [
      [', lease.date + DAY);', ');'],
      ['request.wall + USABLE_FOR, lease.period.end', 'request.wall + USABLE_FOR'],
      ['const USABLE_FOR = 18 * SECOND', 'const USABLE_FOR = 20 * SECOND'],
      ['elapsed >= lease.usableUntilElapsed', 'elapsed > lease.usableUntilElapsed'],
      ['wall < lease.usableUntil', 'wall <= lease.usableUntil'],
      ['Math.max(date, period.start)', 'date'],
      ['now >= lease.date + DAY || now < lease.date', 'now >= lease.date + DAY'],
      ['Math.max(waiting, first, ', 'Math.max(first, '],
      ['(rate * BLOCK_SECONDS) / 2', 'rate * BLOCK_SECONDS'],
      ['  lease.spent -= cost;\n', ''],
      ['unspent(lease) > lease.resting', 'unspent(lease) >= lease.resting'],
      ['Math.max(0, lease.left) + (', 'lease.left + ('],
    ],
  },
  {
    file: 'src/accounts/ledger/quota-state.ts',
    tests: ['accounts/ledger/returned-calls.store.test.ts'],
    changes: [
      ['elapsed - lastCallAt >= IDLE_AFTER', 'elapsed - lastCallAt > IDLE_AFTER'],
      [' && inFlight === 0', ''],
    ],
  },
  {
    file: 'src/accounts/ledger/lease-groups.ts',
    tests: ['accounts/ledger/lease-groups.test.ts'],
    changes: [
      ['group.held < GROUP_SIZE', 'group.held <= GROUP_SIZE'],
      [' && slot > held.slot ? held', ' ? held'],
      ['      if (group === held?.group) return held;\n', ''],
      ['elapsed - reportedAt >= REPORT_EVERY', 'elapsed - reportedAt > REPORT_EVERY'],
      ['isOld || lease.spent !== lease.settled', 'isOld'],
      ['    group.leases[slot] = undefined;\n', ''],
      ['isOpen ? lease.places.slice(0, -1) : lease.places', 'lease.places.slice(0, -1)'],
      ['      group.seq += 1;\n', ''],
      ['groups[kind].splice(0).forEach(dissolve)', 'groups[kind].forEach(dissolve)'],
    ],
  },
  {
    file: 'src/accounts/ledger/quota-state.ts',
    tests: ['accounts/ledger/periods.store.test.ts'],
    changes: [['  quota.exhausted = undefined;\n', '']],
  },
  {
    file: 'src/accounts/ledger/leases.ts',
    tests: ['accounts/gate/waiting-calls.test.ts'],
    changes: [
      ['DEADLINE - waited', 'DEADLINE'],
      ['      quota.asked = undefined;\n', ''],
      ['if (quota.waiting.length === 0) endLease', 'endLease'],
    ],
  },
  {
    file: 'src/accounts/ledger/leases.ts',
    tests: ['accounts/ledger/returned-calls.store.test.ts'],
    changes: [['      quota.waiting.splice(quota.waiting.indexOf(cost), 1);\n', '']],
  },
  {
    file: 'src/accounts/ledger/leases.ts',
    tests: ['accounts/ledger/idle-leases.store.test.ts'],
    changes: [['isIdle(quota, clock.elapsed()) || quota.lease.resting > 0', 'quota.lease.resting < 0']],
  },
  {
    file: 'src/accounts/ledger/leases.ts',
    tests: ['accounts/ledger/costs.store.test.ts'],
    changes: [
      ['lease && unspent(lease) >= call.cost', 'lease && unspent(lease) > 0'],
      ['    lease.spent += cost;\n', '    lease.spent += 1;\n'],
      ['exhausted && cost >= exhausted.cost', 'exhausted'],
      ['if (cost > 1) giveBack(quota);', ''],
      ['else quota.recalled = true;', ''],
      ['    quota.exhausted = exhausted;\n', ''],
      ['giveBackCall(lease, cost);', 'giveBackCall(lease);'],
    ],
  },
  {
    file: 'src/accounts/ledger/settlement.ts',
    tests: ['accounts/ledger/costs.store.test.ts'],
    changes: [
      ['state.granted - sent.spent >= sent.need', 'state.granted > sent.spent'],
      ['cost: sent.need', 'cost: 1'],
    ],
  },
  {
    file: 'src/accounts/ledger/settlement.ts',
    tests: ['accounts/gate/waiting-calls.test.ts'],
    changes: [
      ['if (!state.closed) extend(lease, request)', 'if (!state.closed) extend(lease, instantOf(clock))'],
      ['Math.ceil(all.length / size)', 'Math.floor(all.length / size)'],
      ['    for (const { lease } of items) opening.add(lease);\n', ''],
    ],
  },
  {
    file: 'src/accounts/ledger/settlement.ts',
    tests: ['accounts/ledger/idle-leases.store.test.ts'],
    changes: [
      ['    if (rest > 0) suspend(lease);\n', ''],
      ['close: closing || rest > 0', 'close: closing'],
    ],
  },
  {
    file: 'src/accounts/ledger/scheduler.ts',
    tests: ['accounts/ledger/periods.store.test.ts'],
    changes: [['if (!ended.closed) items', 'if (ended.closed) items']],
  },
  {
    file: 'src/accounts/ledger/scheduler.ts',
    tests: ['accounts/ledger/first-calls.store.test.ts'],
    changes: [['    if (items.length >= atMost) break;\n', '']],
  },
  {
    file: 'src/accounts/ledger/scheduler.ts',
    tests: ['accounts/ledger/costs.store.test.ts'],
    changes: [['need: most(waiting)', 'need: 1']],
  },
  {
    file: 'src/accounts/ledger/scheduler.ts',
    tests: ['accounts/gate/waiting-calls.test.ts'],
    changes: [
      ['!opening.has(ended) && ', ''],
      ['.filter(({ lease }) => !opening.has(lease))', ''],
    ],
  },
  {
    file: 'src/accounts/ledger/scheduler.ts',
    tests: ['accounts/ledger/scheduler.test.ts'],
    changes: [
      ['      next = undefined;\n', ''],
      ['createShared(createMutex(), grantFirst)', 'createShared(inTurn, grantFirst)'],
      ['for (const statement of statements) await inTurn', 'for (const statement of statements) inTurn'],
      ['Math.min(LONGEST, Math.max(1, ', 'Math.max(LONGEST, Math.max(1, '],
    ],
  },
  {
    file: 'src/core/mutex.ts',
    tests: ['accounts/ledger/scheduler.test.ts'],
    changes: [['last = mine.catch(() => undefined)', 'last = mine']],
  },
  {
    file: 'src/accounts/gate/allowance.ts',
    tests: ['accounts/ledger/usage-counts.store.test.ts'],
    changes: [['reported?.spent ?? asked.get(lease)', 'asked.get(lease)']],
  },
];
