import type { Mutations } from '../mutation.ts';

/** A copy that misses something, a backup that cannot be restored, SQL that not every PostgreSQL has. */
export const database: Mutations[] = [
  {
    file: 'src/database/copy/copy.ts',
    tests: ['services/copy/copy.server.test.ts'],
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
    tests: ['services/copy/copy.server.test.ts'],
    changes: [
      ['AND checksum = $4 RETURNING id', 'AND checksum <> $5 RETURNING id'],
      ['if (rows.length === 0) throw takenOver();', ''],
      ['OR removed_at IS NOT NULL OR', 'OR'],
      [
        "`SELECT setval('public.${name}', $1::bigint, $2)`",
        "`SELECT setval('public.${name}', $1::bigint, NOT $2)`",
      ],
    ],
  },
  {
    file: 'src/database/copy/source.ts',
    tests: ['services/copy/copy.server.test.ts'],
    changes: [
      ['ISOLATION LEVEL REPEATABLE READ READ ONLY; ${PLAIN_TEXT}', 'READ ONLY; ${PLAIN_TEXT}'],
      ['`WHERE (${key}) > (${values})`', '`WHERE (${key}) >= (${values})`'],
    ],
  },
  {
    file: 'src/database/copy/tables.ts',
    tests: ['services/copy/copy.server.test.ts'],
    changes: [
      ["SET LOCAL search_path TO ''; ", ''],
      ['filter(({ refers }) => !refers?.some', 'filter(({ refers }) => refers?.some'],
    ],
  },
  {
    file: 'src/database/migrations.ts',
    tests: ['commands/database-copy.server.test.ts'],
    changes: [['if (name === UNFINISHED_COPY) {', "if (name === 'no such name') {"]],
  },
  {
    file: 'src/database/backup/tar.ts',
    tests: ['stores/backup/tar.test.ts'],
    changes: [
      ['number(148, 8) === sumOf(header) && ', ''],
      ['&& !/(^|\\/)\\.\\.?(\\/|$)/.test(name)', ''],
      ['&& /^[05]$/.test(kind)', ''],
      ["if (done) throw new ArchiveFault('is cut short');", 'if (done) return;'],
      ['(BLOCK - (size % BLOCK)) % BLOCK', 'BLOCK - (size % BLOCK)'],
    ],
  },
  {
    file: 'src/prices/archive/archive-sql-store.ts',
    tests: ['stores/market/provenance.store.test.ts'],
    changes: [
      [
        'SELECT FROM refresh WHERE what = ${lockOf(table)} FOR SHARE',
        'SELECT FROM refresh WHERE ctid IS NOT NULL AND what = ${lockOf(table)} FOR SHARE',
      ],
    ],
  },
  {
    file: 'src/accounts/ledger/outages.ts',
    tests: ['services/quota/outages.store.test.ts'],
    changes: [
      ['AFTER_FAILURE = 10 * SECOND', 'AFTER_FAILURE = 5 * SECOND'],
      ['AFTER_FAILURE = 10 * SECOND', 'AFTER_FAILURE = 12 * SECOND'],
      ['clock.elapsed() + afterStart', 'clock.elapsed()'],
    ],
  },
];
