import type { Mutations } from './mutation.ts';

/** What a request passes, what it is charged, what it may bring, and what an answer says of itself. */
export const http: Mutations[] = [
  {
    file: 'src/http/replies/response-cache.ts',
    tests: ['http/replies/door.test.ts'],
    changes: [
      ["  headers['if-none-match'] === undefined &&\n", ''],
      ['  headers.origin === undefined &&\n', ''],
      [' || headers.accept !== known.accept', ''],
      ['if (known.answer.holds?.(now)) return known', 'if (known.answer.holds) return known'],
      ['    if (burst.refuses(caller.user.key, now.wall)) return undefined;\n', ''],
      ['if (receipt !== undefined) burst.admitOrThrow', 'if (receipt === undefined) burst.admitOrThrow'],
      ['    allowance.keep(receipt);\n', ''],
      ["!isOpen || method !== 'GET'", '!isOpen'],
    ],
  },
  {
    file: 'src/http/replies/cache-headers.ts',
    tests: ['http/replies/door.test.ts'],
    changes: [['Math.floor((now - fetchedAt) / SECOND)', 'Math.ceil((now - fetchedAt) / SECOND)']],
  },
  {
    file: 'src/http/replies/prepared-head.ts',
    tests: ['http/replies/ready-head.test.ts'],
    changes: [['response.shouldKeepAlive && ', '']],
  },
  {
    file: 'src/services/caching/answer-cache.ts',
    tests: ['services/caching/answer-cache.test.ts'],
    changes: [
      ['age < KEPT_FOR', 'age <= KEPT_FOR'],
      ['age >= 0 && ', ''],
      [' && generation === source.generation()', ''],
      ['      if (!hadNothingToFetch(answer.outcome)) return answer;\n', ''],
    ],
  },
  {
    file: 'src/services/caching/fifo-map.ts',
    tests: ['services/caching/first-in-first-out.test.ts'],
    changes: [['entries.size <= most', 'entries.size < most']],
  },
  {
    file: 'src/http/replies/cache-headers.ts',
    tests: ['http/replies/caching.store.test.ts'],
    changes: [
      ['Math.ceil((dueAt - now) / SECOND)', 'Math.ceil(dueAt - now)'],
      ["one.trim().replace(/^W\\//, '') === etag", 'one.trim() === etag'],
    ],
  },
  {
    file: 'src/http/replies/content-coding.ts',
    tests: ['http/replies/freshness-coding.test.ts'],
    changes: [
      ['given.get(coding) ?? wildcard', 'given.get(coding) ?? 0'],
      ['mine > 0 && mine >= quality', 'mine >= quality'],
    ],
  },
  {
    file: 'src/http/replies/quality-list.ts',
    tests: ['http/replies/freshness-coding.test.ts'],
    changes: [['q === undefined ? 1', 'q === undefined ? 0']],
  },
  {
    file: 'src/http/pipeline/guard.ts',
    tests: ['http/replies/caching.store.test.ts'],
    changes: [['reply.statusCode < 300', 'reply.statusCode < 400']],
  },
  {
    file: 'src/http/pipeline/guard.ts',
    tests: ['http/pipeline/hang-up.store.test.ts'],
    changes: [[' && !isGone(request.raw)', '']],
  },
  {
    file: 'src/http/pipeline/guard.ts',
    tests: ['routes/user-headers.store.test.ts'],
    changes: [
      ['else allowance.refund(receipt)', 'else allowance.keep(receipt)'],
      ['Math.ceil((period.end - now) / SECOND)', 'Math.ceil(period.end - now)'],
      ['isPaid ? receipt : { ...receipt, remaining: remaining(receipt.lease) }', 'receipt'],
      ['(period.end - period.start) / SECOND', 'period.end - period.start'],
    ],
  },
  {
    file: 'src/http/pipeline/burst.ts',
    tests: ['http/pipeline/burst.test.ts'],
    changes: [
      ['Math.max(now, last))', 'last)'],
      ['(arrival - now - SECOND) / SECOND', '(arrival - now) / SECOND'],
      ['      older = arrivals;\n', ''],
      ['arrivals.get(who) ?? older.get(who)', 'arrivals.get(who)'],
      ['const FURTHEST = SECOND + 1e-6', 'const FURTHEST = SECOND - 1'],
    ],
  },
  {
    file: 'src/http/pipeline/registration-limit.ts',
    tests: ['routes/user-limits.store.test.ts'],
    changes: [
      ['.slice(0, 4)', '.slice(0, 5)'],
      ['retryAfter: ttl / SECOND', 'retryAfter: ttl'],
    ],
  },
  {
    file: 'src/http/pipeline/turns.ts',
    tests: ['http/pipeline/turns.test.ts'],
    changes: [
      ['given.size < atOnce', 'given.size <= atOnce'],
      ['queue.length >= most', 'queue.length > most'],
      ['      queue.shift()?.();\n', ''],
    ],
  },
  {
    file: 'src/http/pipeline/turns.ts',
    tests: ['http/pipeline/lanes.test.ts'],
    changes: [['          queue.splice(queue.indexOf(next), 1);\n', '']],
  },
  {
    file: 'src/http/pipeline/lanes.ts',
    tests: ['http/pipeline/lanes.test.ts'],
    changes: [
      ['createTurns({ atOnce: 1 })', 'createTurns({ atOnce: 2 })'],
      ['const WAITING = { long: 3', 'const WAITING = { long: 30'],
      ["    if (size === 'long') await all.enter(response);\n", ''],
    ],
  },
  {
    file: 'src/http/pipeline/concurrency-limit.ts',
    tests: ['routes/node-bounds.store.test.ts'],
    changes: [
      ['now >= most', 'now > most'],
      ['(underWay.get(user) ?? 1) - 1', 'underWay.get(user) ?? 1'],
    ],
  },
  {
    file: 'src/http/pipeline/pipelined-requests.ts',
    tests: ['http/pipeline/pipelined-requests.test.ts'],
    changes: [
      ['before >= WAITING', 'before > WAITING'],
      ['(waiting.get(socket) ?? 1) - 1', 'waiting.get(socket) ?? 1'],
      ['setImmediate(begin)', 'begin()'],
    ],
  },
  {
    file: 'src/http/pipeline/request-body.ts',
    tests: ['http/pipeline/request-body.test.ts'],
    changes: [
      ['size > limit)', 'size >= limit)'],
      ['pieces > MOST_PIECES', 'pieces > 2 * MOST_PIECES'],
      ['readers >= AT_ONCE', 'readers > AT_ONCE'],
      ['        buffered -= buffer.length;\n', ''],
      ['if (others === 0) readersOf', 'if (others !== 0) readersOf'],
      ['        before = size;\n', ''],
    ],
  },
  {
    file: 'src/http/pipeline/request-limits.ts',
    tests: ['http/pipeline/bad-input.store.test.ts'],
    changes: [
      ['url.length > LIMITS.uri', 'url.length >= LIMITS.uri'],
      ['(rawHeaders[i] as string).length + 2', '(rawHeaders[i] as string).length'],
      ["hosts === 0 && httpVersion === '1.0'", 'hosts === 0'],
    ],
  },
  {
    file: 'src/http/pipeline/parameters.ts',
    tests: ['http/pipeline/bad-input.store.test.ts', 'http/pipeline/conformity.store.test.ts'],
    changes: [
      ['at <= startOfDate(clock.now())', 'at < startOfDate(clock.now())'],
      ['value <= 36_500', 'value < 36_500'],
    ],
  },
];
