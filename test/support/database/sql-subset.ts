import { loadModule, parseSync } from 'libpg-query';

/**
 * The part of PostgreSQL that the service uses, so that compatible distributed databases can be used as well. The
 * rejected features are those that such databases lack according to their documentation, or that a pooler in
 * transaction mode does not support.
 */

/** Statements that the stores send. */
const STATEMENTS = new Set([
  'SelectStmt',
  'InsertStmt',
  'UpdateStmt',
  'DeleteStmt',
  'TransactionStmt',
  // The copy of a database, in a separate transaction.
  'DeclareCursorStmt',
  'FetchStmt',
  'ClosePortalStmt',
  'TruncateStmt',
]);
/** Statements of migrations, and after a copy. */
const OF_MIGRATIONS = new Set([
  'CreateStmt',
  'CreateEnumStmt',
  'AlterEnumStmt',
  'AlterTableStmt',
  'IndexStmt',
  'ViewStmt',
  'CreateSchemaStmt',
  'CreateSeqStmt',
  'AlterSeqStmt',
  'DropStmt',
  'RenameStmt',
  'VacuumStmt',
]);

/** Functions that return per-machine values, or use session locks or local state. */
const FUNCTIONS =
  /^(pg_postmaster_start_time|pg_(try_)?advisory_(lock|unlock).*|pg_(try_)?advisory_xact_lock_shared|pg_notify|txid_.*|pg_current_xact_id.*|pg_current_wal_.*|lo_.*|dblink.*|currval|lastval)$/;
/** Columns that expose the storage location. */
const COLUMNS = /^(ctid|xmin|xmax|cmin|cmax|tableoid)$/;

type Node = Readonly<Record<string, unknown>>;

const nameOf = (parts: unknown): string =>
  (parts as { String?: { sval?: string } }[]).map((part) => part.String?.sval ?? '').at(-1) ?? '';

function faultOf(kind: string, node: Node): string | undefined {
  if (kind === 'FuncCall' && FUNCTIONS.test(nameOf(node.funcname))) return `${nameOf(node.funcname)}()`;
  if (kind === 'ColumnRef' && COLUMNS.test(nameOf(node.fields))) return `the column ${nameOf(node.fields)}`;
  if (node.relpersistence === 't') return 'a temporary table';
  if (kind === 'TransactionStmt' && /PREPARED|PREPARE/.test(String(node.kind))) return 'a prepared transaction';
  if (kind === 'DeclareCursorStmt' && (Number(node.options ?? 0) & 0x0020) !== 0) return 'a cursor WITH HOLD';
  if (kind === 'RangeTableSample') return 'TABLESAMPLE';
  return undefined;
}

function* faultsWithin(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    for (const one of value) yield* faultsWithin(one);
  } else if (typeof value === 'object' && value !== null) {
    for (const [kind, node] of Object.entries(value)) {
      const isNode = typeof node === 'object' && node !== null && !Array.isArray(node);
      const fault = isNode ? faultOf(kind, node as Node) : undefined;
      if (fault) yield fault;
      yield* faultsWithin(node);
    }
  }
}

/** `SET LOCAL` ends with its transaction. `SET` stays in a session that another client uses next. */
const isOfTransaction = (kind: string, node: Node) => kind === 'VariableSetStmt' && node.is_local === true;

export const loadParser = loadModule;

/** The parts of a script outside the subset; empty if there are none. Throws if it is not SQL. */
export function faultsOf(sql: string): string[] {
  const faults = (parseSync(sql).stmts ?? []).flatMap(({ stmt }) => {
    const [[kind, node] = ['', {}]] = Object.entries(stmt ?? {}) as [string, Node][];
    const isKnown = STATEMENTS.has(kind) || OF_MIGRATIONS.has(kind) || isOfTransaction(kind, node);
    return [...(isKnown ? [] : [kind]), ...faultsWithin(stmt)];
  });
  return [...new Set(faults)];
}
