import type { Mutations } from './mutation.ts';

/** The request log: its bounds, what it shows, and how processes ask each other. */
export const requests: Mutations[] = [
  {
    file: 'src/accounts/requests/recent-requests.ts',
    tests: ['accounts/requests/recent-requests.test.ts'],
    changes: [
      ['      while (total > bytes) shrinkLeastRecent();\n', ''],
      ['    known.get(id);\n', ''],
      ['      total -= user.bytes;\n', ''],
      ['known.get(id) ?? open', 'known.peek(id) ?? open'],
      ['Math.min(most, 2 * now)', '2 * now'],
      [' <= GROWTH * bytes', ' <= bytes'],
      ['isRoom || ', ''],
      ['newestIn(silent) < oldestIn(full) || ', ''],
      [' || capacityOf(silent) > capacity', ''],
    ],
  },
  {
    file: 'src/accounts/requests/request-ring.ts',
    tests: ['accounts/requests/recent-requests.test.ts', 'accounts/requests/memory.test.ts'],
    changes: [
      ['i === numbers.length ? 0 : next + 1', 'next + 1'],
      ["bytesOf(path) - bytesOf(paths[next] ?? '')", 'bytesOf(path)'],
      ["(path.includes('…') ? 2 : 1) * path.length", 'path.length'],
      ['...order.slice(next), ...order.slice(0, next)', '...order'],
      ['.slice(-capacity)', '.slice(0, capacity)'],
      ['more + bytesOfPaths(ring) - before', 'more'],
      ['next === 0 && paths.length > 0', 'next === 0'],
      ['(next === 0 ? paths.length : next) - 1', 'next'],
    ],
  },
  {
    file: 'src/accounts/requests/shown-path.ts',
    tests: ['accounts/requests/shown-path.test.ts', 'accounts/requests/memory.test.ts'],
    changes: [
      ['declared.has(name) && ', ''],
      ['!SECRET_PARAMETERS.has(name) && ', ''],
      [' && maskApiKeys(plain) === plain', ''],
      [' && !isPhrase(plain)', ''],
      ['plain.split(/\\s+/).length > MOST_WORDS.spaced ||', ''],
      [".split(',')", ".split('&')"],
      [' && !ENCODED.test(plain)', ''],
      [".replaceAll('+', ' ')", ''],
      ['{1,40}', '{1,41}'],
      ['(isSafe(one) ? one : HIDDEN)', 'one'],
      ['target.startsWith(basePath) ? target.slice(basePath.length) : target', 'target'],
      ["url.replace(ORIGIN, '/')", 'url'],
      ['/[?#]/', '/[?]/'],
    ],
  },
  {
    file: 'src/accounts/open.ts',
    tests: ['accounts/requests/two-processes.server.test.ts', 'accounts/keys/lost-changes.store.test.ts'],
    changes: [
      ['      recent?.clear();\n', ''],
      ['recent?.forget(userKey)', 'undefined'],
    ],
  },
  {
    file: 'src/accounts/gate/guard.ts',
    tests: ['accounts/requests/two-processes.server.test.ts'],
    changes: [['isErased(caller.user) ? undefined : caller.id', 'caller.id']],
  },
  {
    file: 'src/accounts/gate/guard.ts',
    tests: ['accounts/requests/request-log.store.test.ts'],
    changes: [
      ["      else raw.once('close', listUndelivered);\n", ''],
      ['if (!raw.writableFinished) list', 'list'],
    ],
  },
  {
    file: 'src/accounts/users/routes.ts',
    tests: ['accounts/requests/two-processes.server.test.ts'],
    changes: [['    request.keyId = undefined;\n', '']],
  },
  {
    file: 'src/accounts/requests/peer-token.ts',
    tests: ['accounts/requests/peer-token.test.ts'],
    changes: [
      ['Math.abs(Number(at) - now) > MOST_APART', 'now - Number(at) > MOST_APART'],
      ['`${process}.${user}.${at}`', '`${process}.${user}`'],
      ['`${process}.${user}.${at}`', '`${process}.${at}`'],
      ['`${process}.${user}.${at}`', '`${user}.${at}`'],
    ],
  },
  {
    file: 'src/accounts/requests/own-address.ts',
    tests: ['accounts/requests/own-address.test.ts'],
    changes: [
      ['!internal && ', ''],
      [" && !address.startsWith('fe80:')", ''],
      ["external.find(({ family }) => family === 'IPv4') ?? ", ''],
      ["host.includes(':') ? `[${host}]` : host", 'host'],
    ],
  },
  {
    file: 'src/accounts/requests/peers.ts',
    tests: ['accounts/requests/two-processes.server.test.ts'],
    changes: [
      ['response.statusCode === 200 ? (answer.parse(JSON.parse(body)) as ListedRequest[]) : undefined', '[]'],
      ['isPeerToken(authorization, secret, { process: id, user }, clock.now())', 'true'],
      ['      if (own) await store.leave(id)', '      if (!own) await store.leave(id)'],
      ['      await announcing.run();\n', ''],
    ],
  },
  {
    file: 'src/accounts/requests/peers.ts',
    tests: ['accounts/requests/peers.test.ts'],
    changes: [
      ['.max(LATEST)', ''],
      ['cost: z.int().nonnegative()', 'cost: z.number()'],
      ['ms: z.number().nonnegative()', 'ms: z.number()'],
      ['LARGEST_ANSWER = 256 * 1024', 'LARGEST_ANSWER = 2 ** 20'],
      ['response.statusCode === 200 ? ', 'body ? '],
    ],
  },
  {
    file: 'src/accounts/requests/process-store.ts',
    tests: ['accounts/requests/two-processes.server.test.ts'],
    changes: [
      [' AND id <> ${id}::uuid ORDER BY id', ' ORDER BY id'],
      ['        WHERE expires_at > clock_timestamp() AND id', '        WHERE id'],
    ],
  },
  {
    file: 'src/accounts/requests/request-log.ts',
    tests: ['accounts/requests/two-processes.server.test.ts'],
    changes: [
      ['other.at - one.at', 'one.at - other.at'],
      ['.slice(0, BOUNDS.requests)', ''],
      ['others.every((requests) => requests !== undefined)', 'true'],
    ],
  },
  {
    file: 'src/server/request-list.ts',
    tests: ['accounts/requests/request-log.store.test.ts'],
    changes: [
      [' || config.isUnlisted', ''],
      ['[statusCode, chargedBy(charged)]', '[statusCode, 0]'],
      ['raw.writableEnded ? ', 'true ? '],
    ],
  },
  {
    file: 'src/accounts/ledger/leases.ts',
    tests: ['accounts/requests/request-log.store.test.ts'],
    changes: [['      receipt.isRefunded = true;\n', '']],
  },
];
