import type { Mutations } from './mutation.ts';

/** The path of a request: its limits, its charge, and the headers of its response. */
export const http: Mutations[] = [
  {
    file: 'src/server/replies/fast-path.ts',
    tests: ['server/replies/fast-path.test.ts'],
    changes: [
      ['headers.accept !== found.accept || ', ''],
      [' && headersSize(rawHeaders) <= LIMITS.headers', ''],
      ['if (status === 304) requests', 'if (status !== 304) requests'],
      ['isClosed || ', ''],
    ],
  },
  {
    file: 'src/accounts/gate/gate.ts',
    tests: ['server/replies/fast-path.test.ts'],
    changes: [
      ['spendAtOnce(caller, path, now, cost)', 'spendAtOnce(caller, path, now, 1)'],
      [' || endOf(caller, now.wall) !== undefined', ''],
      ['!covers(caller, scope) || ', ''],
      [' || burst.refuses(user, now.wall)', ''],
      ['      burst.admitOrThrow(user, now.wall);\n', ''],
      ['      noteUse(caller, request.headers, now.wall);\n', ''],
    ],
  },
  {
    file: 'src/accounts/gate/gate.ts',
    tests: ['accounts/keys/restricted.store.test.ts'],
    changes: [['      refuseUse(caller, scope, headers);\n      noteUse(', '      noteUse(']],
  },
  {
    file: 'src/accounts/gate/gate.ts',
    tests: ['accounts/keys/last-use.store.test.ts'],
    changes: [['      noteUse(caller, headers, now);\n', '']],
  },
  {
    file: 'src/server/replies/write-answer.ts',
    tests: ['server/replies/fast-path.test.ts'],
    changes: [
      ['const isPaid = status === 200 && ', 'const isPaid = '],
      ['own.push(...cors)', 'void cors'],
    ],
  },
  {
    file: 'src/server/replies/write-answer.ts',
    tests: ['server/client-disconnect.store.test.ts'],
    changes: [[' && !isGone(socket)', '']],
  },
  {
    file: 'src/server/replies/answer-headers.ts',
    tests: ['server/replies/fast-path.test.ts'],
    changes: [['Math.floor((now - fetchedAt) / SECOND)', 'Math.ceil((now - fetchedAt) / SECOND)']],
  },
  {
    file: 'src/server/replies/write-answer.ts',
    tests: ['server/replies/write-answer.test.ts'],
    changes: [
      ['  response.shouldKeepAlive &&\n', ''],
      ['if (current !== second)', 'if (second === current)'],
    ],
  },
  {
    file: 'src/server/replies/response-cache.ts',
    tests: ['server/replies/response-cache.test.ts'],
    changes: [
      ['now - at < GIVEN_FOR', 'now - at <= GIVEN_FOR'],
      ['now >= at && ', ''],
      [' && given.generation === source.generation()', ''],
      ['      if (fetched || refreshing || failure !== undefined) return made;\n', ''],
      ['`${service} ${requestKey}`', 'requestKey'],
      ['known?.version === version ? known.body', 'known ? known.body'],
      ['      evictFleeting(at);\n', ''],
    ],
  },
  {
    file: 'src/server/replies/answer-headers.ts',
    tests: ['server/replies/free-responses.store.test.ts'],
    changes: [
      ["content.push('quotient-currency', currency)", "fields.push('quotient-currency', currency)"],
      ["createHmac('sha256', etagKey)", "createHmac('sha256', '')"],
      ['const etag = keyed(representation.etag);', 'const { etag } = representation;'],
    ],
  },
  {
    file: 'src/server/replies/answer-headers.ts',
    tests: ['server/replies/caching.store.test.ts'],
    changes: [["one.trim().replace(/^W\\//, '') === etag", 'one.trim() === etag']],
  },
  {
    file: 'src/server/replies/negotiation.ts',
    tests: ['server/replies/negotiation.test.ts'],
    changes: [
      ["given.get(coding) ?? given.get('*') ?? 0", 'given.get(coding) ?? 0'],
      ['mine > 0 && mine >= quality', 'mine >= quality'],
      ['?.slice(2) ?? 1', '?.slice(2) ?? 0'],
    ],
  },
  {
    file: 'src/accounts/gate/gate.ts',
    tests: ['accounts/users/user-headers.store.test.ts'],
    changes: [
      ['else allowance.refund(receipt)', 'else allowance.keep(receipt)'],
      ['isPaid ? receipt.remaining : remaining(receipt.lease)', 'receipt.remaining'],
    ],
  },
  {
    file: 'src/accounts/gate/guard.ts',
    tests: ['accounts/users/user-headers.store.test.ts'],
    changes: [['reply.statusCode < 300 && ', '']],
  },
  {
    file: 'src/accounts/gate/limits.ts',
    tests: ['accounts/gate/burst.test.ts'],
    changes: [
      ['Math.max(now, last))', 'last)'],
      ['(arrival - now - time) / SECOND', '(arrival - now) / SECOND'],
      ['      older = arrivals;\n', ''],
      ['arrivals.get(who) ?? older.get(who)', 'arrivals.get(who)'],
      ['const furthest = time + 1e-6', 'const furthest = time - 1'],
    ],
  },
  {
    file: 'src/accounts/gate/limits.ts',
    tests: ['accounts/users/user-limits.store.test.ts'],
    changes: [['.slice(0, 4)', '.slice(0, 5)']],
  },
  {
    file: 'src/accounts/gate/route-checks.ts',
    tests: ['accounts/users/user-limits.store.test.ts'],
    changes: [
      ['(perMinute, MINUTE, detail)', '(perMinute, 1, detail)'],
      ['clientOf(request), clock.now()', "'', clock.now()"],
    ],
  },
  {
    file: 'src/server/connections/answer-queue.ts',
    tests: ['server/connections/answer-queues.test.ts'],
    changes: [
      ['given.size < atOnce', 'given.size <= atOnce'],
      ['queue.length >= most', 'queue.length > most'],
      ['      queue.shift()?.();\n', ''],
      ['          queue.splice(queue.indexOf(next), 1);\n', ''],
      ['createAnswerQueue({ atOnce: 1 })', 'createAnswerQueue({ atOnce: 2 })'],
      ['const WAITING = { long: 3', 'const WAITING = { long: 30'],
      ["    if (size === 'long') await all.enter(response);\n", ''],
    ],
  },
  {
    file: 'src/server/connections/loop-turns.ts',
    tests: ['server/connections/concurrency-limit.test.ts'],
    changes: [
      ['now >= most', 'now > most'],
      ['(underWay.get(caller) ?? 1) - 1', 'underWay.get(caller) ?? 1'],
    ],
  },
  {
    file: 'src/server/connections/server.ts',
    tests: ['server/connections/server.test.ts'],
    changes: [
      ['before >= WAITING', 'before > WAITING'],
      ['(waiting.get(socket) ?? 1) - 1', 'waiting.get(socket) ?? 1'],
      ['setImmediate(begin)', 'begin()'],
    ],
  },
  {
    file: 'src/server/connections/request-body.ts',
    tests: ['server/connections/request-body.test.ts'],
    changes: [
      ['size > limit)', 'size >= limit)'],
      ['pieces > MOST_PIECES', 'pieces > 2 * MOST_PIECES'],
      ['createConcurrencyLimit(AT_ONCE,', 'createConcurrencyLimit(AT_ONCE + 1,'],
      ['        buffered -= buffer.length;\n', ''],
      ['        end();\n', ''],
      ['        before = size;\n', ''],
    ],
  },
  {
    file: 'src/server/connections/request-head.ts',
    tests: ['server/connections/connections.store.test.ts'],
    changes: [
      ['!is404 && ', ''],
      ['(is404 ? undefined : bodies.discard(raw))', 'bodies.discard(raw)'],
    ],
  },
  {
    file: 'src/server/connections/request-head.ts',
    tests: ['server/connections/request-head.test.ts'],
    changes: [
      ['url.length > LIMITS.uri', 'url.length >= LIMITS.uri'],
      ['(rawHeaders[i] as string).length + 2', '(rawHeaders[i] as string).length'],
      ["hosts === 0 && httpVersion === '1.0'", 'hosts === 0'],
    ],
  },
  {
    file: 'src/prices/parameters.ts',
    tests: ['server/bad-input.store.test.ts', 'server/conformity.store.test.ts'],
    changes: [
      ['at <= startOfDate(clock.now())', 'at < startOfDate(clock.now())'],
      ['value <= 36_500', 'value < 36_500'],
    ],
  },
  {
    file: 'src/server/replies/answer-headers.ts',
    tests: ['server/replies/caching.store.test.ts', 'server/replies/answer-headers.test.ts'],
    changes: [
      ['(fetchedAt ?? now)', 'now'],
      ['Math.min(dueAt, now + LONGEST)', 'dueAt'],
      ["gaps.length > 0 || source.includes(',') || ", ''],
      ['|| currency !== undefined', ''],
      ['Date.parse(header) ===', 'Date.parse(header) >='],
      ['named === undefined && since !== undefined', 'since !== undefined'],
    ],
  },
  {
    file: 'src/accounts/gate/limits.ts',
    tests: ['accounts/users/user-headers.store.test.ts', 'accounts/users/user-limits.store.test.ts'],
    changes: [
      ['plan(period, 0, now)', 'plan(period, 1, now)'],
      ["code === 'quota_exceeded'", "code !== 'quota_exceeded'"],
      ['perSecond > 0', 'perSecond >= 0'],
      ['Math.ceil((end - now) / SECOND)', 'Math.ceil(end - now)'],
      ['(end - start) / SECOND', 'end - start'],
    ],
  },
  {
    file: 'src/server/replies/negotiation.ts',
    tests: ['server/conformity.store.test.ts'],
    changes: [
      ['else if (csv) request', 'else request'],
      ["format !== 'json' && format !== 'csv'", "format !== 'json'"],
      ['if (mediaTypes.some((one) => FORMATS[one] === format)) return', 'return'],
    ],
  },
  {
    file: 'src/server/parameter-validator.ts',
    tests: ['server/bad-input.store.test.ts', 'server/conformity.store.test.ts', 'statistics/stats.store.test.ts'],
    changes: [
      ['name.toLowerCase(), known', 'name, known'],
      ['apart(name, a) - apart(name, b)', '0'],
      [' && !given.includes(one)', ''],
      ['!known.includes(name)', 'true'],
    ],
  },
];
