import type { Mutations } from './mutation.ts';

/** The choice of a node, the deadlines, and the number of times that a transaction is sent. */
export const node: Mutations[] = [
  {
    file: 'src/node/pool.ts',
    tests: ['node/node-failover.test.ts'],
    changes: [
      ['sound.length === 0 ?', 'sound.length !== 0 ?'],
      ['blocks > MOST_BEHIND ?', 'blocks >= MOST_BEHIND ?'],
      ['if (height === undefined) return undefined;', 'if (height === undefined) return 99;'],
      ['isPassing || !asked.has(member)', '!asked.has(member)'],
    ],
  },
  {
    file: 'src/node/member.ts',
    tests: ['node/node-failover.test.ts'],
    changes: [['      member.failure = undefined;\n      return value', '      return value']],
  },
  {
    file: 'src/node/broadcast.ts',
    tests: ['node/node-broadcast.test.ts'],
    changes: [
      ['      if (error instanceof UpstreamFailure && error.sent) return { failure: error, hash };\n', ''],
      ['hash !== undefined && answer.txhash !== hash', 'answer.txhash === undefined'],
      ["request.mode === 'block' ? ('sync' as const)", "request.mode === 'async' ? ('sync' as const)"],
    ],
  },
  {
    file: 'packages/cosmos/transactions.ts',
    tests: ['node/node-broadcast.test.ts'],
    changes: [
      ['const isRejected = !isKnown && ', 'const isRejected = '],
      ["return isKnown ? 'look up' : 'end'", "return 'end'"],
    ],
  },
  {
    file: 'src/node/member.ts',
    tests: ['node/node-chain-id.test.ts'],
    changes: [
      ['chainId ?? members.find(', 'members.find('],
      ['reported === null ? chainId !== undefined : reported !== (wanted() ?? reported)', 'false'],
      ['members.length > 1 || chainId !== undefined', 'members.length > 1'],
      ['if (areCompared && isOther(reported)) throw new NodeFault', 'if (false) throw new NodeFault'],
      ['      if (chain.areCompared && member.chainId === undefined) await introduce(member, calls);\n', ''],
    ],
  },
  {
    file: 'src/node/pool.ts',
    tests: ['node/node-chain-id.test.ts'],
    changes: [['...chain.members().map((one) => one.height ?? 0)', '...members.map((one) => one.height ?? 0)']],
  },
  {
    file: 'src/node/broadcast.ts',
    tests: ['node/wallets/launchpad.store.test.ts'],
    changes: [['code === WRONG_SEQUENCE ?', 'code !== WRONG_SEQUENCE ?']],
  },
  {
    file: 'packages/cosmos/conversion/tx-bytes.ts',
    tests: ['cosmos/conversion/messages.test.ts'],
    changes: [
      ['if (signers.length > MAX_SIGNERS) throw', 'if (signers.length > 99) throw'],
      ['const prefix = prefixOf(signer)', 'const prefix = /^(.+)1/.exec(signer)?.[1]'],
      ["prefix.replace(OPERATOR, '')", 'prefix'],
    ],
  },
  {
    file: 'packages/cosmos/conversion/fields.ts',
    tests: ['cosmos/conversion/messages.test.ts'],
    changes: [
      ["fraction.padEnd(18, '0')", 'fraction'],
      ["fraction.replace(/0+$/, '')", 'fraction'],
      ['index || null', 'index'],
      ['if (!Object.keys(value).every((name) => names.has(name)))', 'if (names.size === 0)'],
    ],
  },
  {
    file: 'packages/cosmos/dialects/transactions.ts',
    tests: ['cosmos/logs.test.ts'],
    changes: [
      ["attributes.filter(({ key }) => key !== 'msg_index')", 'attributes'],
      ["raw === '' ? JSON.stringify(found) : raw", 'raw'],
      ['.sort((a, b) => (a.type < b.type ? -1 : 1))', ''],
    ],
  },
  {
    file: 'packages/cosmos/dialects/accounts.ts',
    tests: ['cosmos/accounts.test.ts'],
    changes: [
      ['if (address !== requested) throw', 'if (address === undefined) throw'],
      ['if (depth === MAX_DEPTH) throw', 'if (depth > 99) throw'],
      ['own === undefined ? await balances() : coins(own)', 'coins(own)'],
    ],
  },
  {
    file: 'packages/cosmos/conversion/bech32.ts',
    tests: ['node/wallets/multisig.store.test.ts'],
    changes: [
      ['wholeField(1, BigInt(extra))', 'wholeField(1, 0n)'],
      ['const modes = signatures.map(() => bytesField(2, SINGLE_MODE))', 'const modes = [bytesField(2, SINGLE_MODE)]'],
    ],
  },
  {
    file: 'src/node/pool.ts',
    tests: ['node/node-times.test.ts'],
    changes: [['(until - now) / (chosen.length - index)', '(until - now)']],
  },
  {
    file: 'src/node/broadcast.ts',
    tests: ['node/node-times.test.ts'],
    changes: [['start + timeoutMs * SENDING', 'start + timeoutMs']],
  },
  {
    file: 'src/node/block-waits.ts',
    tests: ['node/block-waits.test.ts'],
    changes: [
      ['Math.min(left, soonest ?? left)', 'Math.max(left, soonest ?? left)'],
      ['if (left === undefined) waiting.delete(hash);', ''],
      ['Math.min(2 * next, LONGEST_PAUSE)', 'Math.max(2 * next, LONGEST_PAUSE)'],
      ['        waiters.delete(waiter);\n        settle(undefined)', '        settle(undefined)'],
    ],
  },
];
