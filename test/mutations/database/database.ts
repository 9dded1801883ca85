import type { Mutations } from '../mutation.ts';

/** An incomplete copy, a backup that cannot be restored, and SQL that some versions of PostgreSQL lack. */
export const database: Mutations[] = [
  {
    file: 'src/database/copy/copy.ts',
    tests: ['database/copy/copy.server.test.ts'],
    changes: [
      ['source.rows === target.rows && source.sum === target.sum', 'source.rows === target.rows'],
      ['left?.source === run.name ? left : undefined', 'left'],
      ['if (from && isViolation(error))', 'if (from && !isViolation(error))'],
      ["(result === 'misfit' || !result.compared.every(isSame))", "result === 'misfit'"],
      ['if (different.length > 0)', 'if (different.length < 0)'],
      ['if (changed.length > 0)', 'if (changed.length < 0)'],
      ['const batches = source.rows(table, from?.after)', 'const batches = source.rows(table)'],
    ],
  },
  {
    file: 'src/database/copy/target.ts',
    tests: ['database/copy/copy.server.test.ts'],
    changes: [
      ['AND checksum = $4 RETURNING id', 'AND checksum <> $5 RETURNING id'],
      ['if (rows.length === 0) throw takenOver();', ''],
      ['OR removed_at IS NOT NULL OR', 'OR'],
      ["if (name === 'shared_secret') continue;", ''],
      ["`SELECT setval('public.${name}', $1::bigint, $2)`", "`SELECT setval('public.${name}', $1::bigint, NOT $2)`"],
    ],
  },
  {
    file: 'src/database/shared-secret.ts',
    tests: ['database/shared-secret.store.test.ts'],
    changes: [
      ['skipDuplicates: true', 'skipDuplicates: false'],
      ['return (await sharedSecret.findUniqueOrThrow({ where: { name } })).value;', 'return value;'],
    ],
  },
  {
    file: 'src/database/copy/source.ts',
    tests: ['database/copy/copy.server.test.ts'],
    changes: [
      ['ISOLATION LEVEL REPEATABLE READ READ ONLY; ${PLAIN_TEXT}', 'READ ONLY; ${PLAIN_TEXT}'],
      ['`WHERE (${key}) > (${values})`', '`WHERE (${key}) >= (${values})`'],
    ],
  },
  {
    file: 'src/database/copy/source.ts',
    tests: ['database/copy/copy.server.test.ts'],
    changes: [
      ["SET LOCAL search_path TO ''; ", ''],
      ['filter(({ refers }) => !refers?.some', 'filter(({ refers }) => refers?.some'],
    ],
  },
  {
    file: 'src/database/migrations.ts',
    tests: ['cli/database-copy.server.test.ts'],
    changes: [['if (name === UNFINISHED_COPY) {', "if (name === 'no such name') {"]],
  },
  {
    file: 'src/database/hosts.ts',
    tests: ['database/server-url.test.ts'],
    changes: [
      ['given.getAll(name).at(-1) || undefined', "given.get('none') || undefined"],
      ["if (given.has('hostaddr'))", "if (given.has('no'))"],
      ["(parameter('load_balance_hosts') ?? 'disable') !== 'disable'", 'false'],
      ['for (const name of CHOICE) given.delete(name);', ''],
      ['port || DEFAULT_PORT', 'port'],
      ['if (ports.length === count) return ports;', 'return ports;'],
      ['if (!isOne && named.some(', 'if (isOne && named.some('],
    ],
  },
  {
    file: 'src/database/hosts.ts',
    tests: ['database/hosts.server.test.ts'],
    changes: [
      ["if (session === 'primary' && standby)", "if (session === 'primary' && !standby)"],
      ["session === 'read-write' && readonly", "session === 'primary' && readonly"],
      ['(deadline - systemClock.elapsed()) / (hosts.length - i)', 'deadline - systemClock.elapsed()'],
      ['if (isPassing(error)) return', 'if (!isPassing(error)) return'],
      ['      Object.assign(this, found);\n', ''],
    ],
  },
  {
    file: 'src/database/pool.ts',
    tests: ['database/hosts.server.test.ts'],
    changes: [
      ['  endDemoted(pool);\n', ''],
      ['code === READ_ONLY', "code === '57P01'"],
    ],
  },
  {
    file: 'src/database/pool.ts',
    tests: ['process/pooler.server.test.ts'],
    changes: [['  await connectOnce(pool, config, name);\n', '']],
  },
  {
    file: 'src/database/backup/tar.ts',
    tests: ['database/tar.test.ts'],
    changes: [
      ['number(148, 8) === sumOf(header) && ', ''],
      ['&& !/(^|\\/)\\.\\.?(\\/|$)/.test(name)', ''],
      ['&& /^[05]$/.test(kind)', ''],
      ["if (done) throw new ArchiveFault('is truncated');", 'if (done) return;'],
      ['(BLOCK - (size % BLOCK)) % BLOCK', 'BLOCK - (size % BLOCK)'],
    ],
  },
  {
    file: 'src/prices/archive/series-sql-store.ts',
    tests: ['prices/archive/market-sources.store.test.ts'],
    changes: [
      [
        'SELECT FROM refresh WHERE what = ${lock} FOR SHARE',
        'SELECT FROM refresh WHERE ctid IS NOT NULL AND what = ${lock} FOR SHARE',
      ],
    ],
  },
  {
    file: 'src/accounts/ledger/quota-state.ts',
    tests: ['accounts/ledger/reclaim-guard.store.test.ts'],
    changes: [
      ['AFTER_FAILURE = 10 * SECOND', 'AFTER_FAILURE = 5 * SECOND'],
      ['AFTER_FAILURE = 10 * SECOND', 'AFTER_FAILURE = 12 * SECOND'],
      ['clock.elapsed() + afterStart', 'clock.elapsed()'],
    ],
  },
];
