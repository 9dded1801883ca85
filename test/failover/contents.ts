import { execute } from '../../bench/stand/database.ts';

type Row = {
  users: number[];
  keys: number[];
  ended: number[];
  calls: Record<string, number>;
};

/** The record numbers of the users, the IDs of all keys and of ended keys, and the recorded calls by user. */
export async function contentsOf(url: string): Promise<Row> {
  const [row] = await execute<Row>(
    url,
    `WITH call AS (
      SELECT user_key, used AS calls FROM usage UNION ALL SELECT user_key, spent - granted FROM lease)
    SELECT (SELECT json_agg(key ORDER BY key) FROM "user") AS users,
      (SELECT json_agg(id ORDER BY id) FROM api_key) AS keys,
      (SELECT coalesce(json_agg(id ORDER BY id), '[]') FROM api_key WHERE revoked_at IS NOT NULL) AS ended,
      (SELECT coalesce(json_object_agg(user_key, calls), '{}')
        FROM (SELECT user_key, sum(calls)::int AS calls FROM call GROUP BY 1 HAVING sum(calls) <> 0) c) AS calls`,
  );
  if (!row) throw new Error('the statement returned no row');
  return row;
}

const without = (all: readonly number[], kept: readonly number[]) => all.filter((one) => !kept.includes(one));

/** The part of a primary's contents that its successor lacks. */
export function lostOf(before: Row, after: Row) {
  const calls = Object.entries(before.calls).map(([user, count]) => [user, count - (after.calls[user] ?? 0)] as const);
  return {
    users: without(before.users, after.users),
    keys: without(before.keys, after.keys),
    revocations: without(before.ended, after.ended),
    calls: Object.fromEntries(calls.filter(([, count]) => count !== 0)),
  };
}
