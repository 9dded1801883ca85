import type { AuditAction, Operator } from '#core/actor';
import { Prisma } from '#generated/prisma/client';

type Event = {
  action: AuditAction;
  target: string | Prisma.Sql;
  userKey?: number | Prisma.Sql;
  /** The changed members, as `jsonb` expressions over the rows of `from`. They contain no secret, name or address. */
  before?: Prisma.Sql;
  after?: Prisma.Sql;
  /** The step of the statement that returns one row if the change is made, and no row otherwise. */
  from?: Prisma.Sql;
};

export const jsonOf = (values: object): Prisma.Sql => Prisma.sql`${JSON.stringify(values)}::jsonb`;

/**
 * SQL fragment `audited AS (…),` for the statement that makes a change: either both the change and its audit event are
 * stored, or neither. Empty if the operator did not make the change.
 */
export function audit(operator: Operator | undefined, event: Event): Prisma.Sql {
  if (operator === undefined) return Prisma.empty;
  const { action, target, userKey = null, before = Prisma.sql`NULL`, after = Prisma.sql`NULL` } = event;
  const { from = Prisma.sql`changed` } = event;
  return Prisma.sql`
    audited AS (
      INSERT INTO audit_event (at, actor, action, target, user_key, before, after, request_id)
      SELECT clock_timestamp(), ${operator.actor}, ${action}, ${target}, ${userKey}::int, ${before}::jsonb,
        ${after}::jsonb, ${operator.requestId}
      FROM ${from}),`;
}
