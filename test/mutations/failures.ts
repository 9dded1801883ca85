import type { Mutations } from './mutation.ts';

/** Repeated failures in the log. */
export const failures: Mutations[] = [
  {
    file: 'src/upstream/failure-log.ts',
    tests: ['upstream/failure-log.test.ts'],
    changes: [
      ['if (now - entry.loggedAt < window) continue;', ''],
      ['loggedAt: now, ...nothingSince()', 'loggedAt: now'],
      ['workedAt !== undefined && isLogged', 'workedAt !== undefined'],
      [' && quiet >= deadline + QUIET', ''],
      ['workedAt: undefined,', 'workedAt: now,'],
      ['!check || checking.has(key)', '!check'],
      ['(recovers ? FORGOTTEN_AFTER : WINDOW)', 'FORGOTTEN_AFTER'],
      ["recovers ? 'warn' : level", 'level'],
      ['workedAt ??= clock.elapsed()', 'workedAt = clock.elapsed()'],
      ['      if (subject.outage) check(key);\n      else if', '      if'],
    ],
  },
  {
    file: 'src/upstream/failure.ts',
    tests: ['upstream/failure-log.test.ts'],
    changes: [
      ['  return root;', '  return error;'],
      ['!observed.has(upstream)', 'false'],
      ['cause: undefined, details: {}', "cause: 'unavailable', details: {}"],
    ],
  },
  {
    file: 'src/database/unreachable.ts',
    tests: ['upstream/failure-log.test.ts'],
    changes: [
      [
        "if (error instanceof TooLate) return { cause: 'timeout'",
        "if (error instanceof TooLate) return { cause: 'late'",
      ],
    ],
  },
  {
    file: 'src/server/request-log.ts',
    tests: ['server/request-log.store.test.ts'],
    changes: [
      ['if (reply.statusCode !== 500) ', ''],
      ["which === 'errors' ? facts : {}", 'facts'],
      ["if (code === 'internal_error') logger", "if (code === 'overloaded') logger"],
    ],
  },
];
