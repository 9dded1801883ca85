import type { Mutations } from './mutation.ts';

/** Which node is asked, for how long, and how often a transaction is sent. */
export const node: Mutations[] = [
  {
    file: 'src/services/node/pool.ts',
    tests: ['services/node/node-failover.test.ts'],
    changes: [
      ['behind(member) <= MOST_BEHIND', 'behind(member) < MOST_BEHIND'],
      ['isPassing || !asked.has(member)', '!asked.has(member)'],
      ['sound.length === 0 ?', 'sound.length !== 0 ?'],
      ['      member.failure = undefined;\n      return value', '      return value'],
    ],
  },
  {
    file: 'src/services/node/broadcast.ts',
    tests: ['services/node/node-broadcast.test.ts'],
    changes: [
      ['        if (!isRejected && error.sent) return { failure: error };\n', ''],
      ['ownHash !== undefined && answer.txhash !== ownHash', 'answer.txhash === undefined'],
      ["request.mode === 'block' ? ('sync' as const)", "request.mode === 'async' ? ('sync' as const)"],
      ['(isRefused && !isKnown(sent))', 'isRefused'],
    ],
  },
  {
    file: 'src/services/node/pool.ts',
    tests: ['services/node/node-times.test.ts'],
    changes: [['(until - now) / (chosen.length - index)', '(until - now)']],
  },
  {
    file: 'src/services/node/broadcast.ts',
    tests: ['services/node/node-times.test.ts'],
    changes: [['start + timeoutMs * SENDING', 'start + timeoutMs']],
  },
  {
    file: 'src/services/node/block-waits.ts',
    tests: ['services/node/block-waits.test.ts'],
    changes: [
      ['Math.min(left, soonest ?? left)', 'Math.max(left, soonest ?? left)'],
      ['        waiting.delete(hash);\n        return undefined', '        return undefined'],
      ['Math.min(2 * pause, LONGEST_PAUSE)', 'Math.max(2 * pause, LONGEST_PAUSE)'],
      ['        waiters.delete(waiter);\n        settle(undefined)', '        settle(undefined)'],
    ],
  },
];
