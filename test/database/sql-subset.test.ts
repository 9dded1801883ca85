import { beforeAll, describe, expect, it } from 'vitest';
import { readMigrations } from '#database/migrations';
import { faultsOf, loadParser } from '../support/database/sql-subset.ts';

beforeAll(loadParser);

describe('the subset of SQL', () => {
  it.each([
    ['LOCK TABLE point IN SHARE ROW EXCLUSIVE MODE', ['LockStmt']],
    ['SELECT 1 WHERE pg_postmaster_start_time() < now()', ['pg_postmaster_start_time()']],
    ['WITH a AS (SELECT pg_catalog.pg_advisory_lock(1)) SELECT * FROM a', ['pg_advisory_lock()']],
    ['DELETE FROM point p WHERE p.ctid = ANY ($1)', ['the column ctid']],
    ['SELECT 1; LISTEN changes', ['ListenStmt']],
    ["SET statement_timeout TO '5s'", ['VariableSetStmt']],
    ['CREATE TEMP TABLE t (a int)', ['a temporary table']],
    ['PREPARE p AS SELECT 1', ['PrepareStmt']],
    ['DECLARE c CURSOR WITH HOLD FOR SELECT 1', ['a cursor WITH HOLD']],
    ['DO $$ BEGIN NULL; END $$', ['DoStmt']],
    ['COPY point FROM STDIN', ['CopyStmt']],
  ])('has no %s', (sql, faults) => {
    expect(faultsOf(sql)).toEqual(faults);
  });

  it('has every migration', async () => {
    for (const { name, script } of await readMigrations()) expect([name, faultsOf(script)]).toEqual([name, []]);
  });
});
