import { PLAN_NAMES } from '#accounts/ledger/plan';
import type { Account } from '#accounts/users/account-report';
import { USER_STATES } from '#accounts/users/account-state';
import { choice, command, JSON_OPTION, wholeNumber } from '#cli/arguments';
import { alignedTable, cut, dateOf, printJson } from '#cli/command-line';
import { withDatabase } from '#cli/configured-database';
import { systemClock } from '#core/clock';
import { createActivity } from '#operator/users/activity';
import { createActivityStore } from '#operator/users/activity-store';
import {
  createUserSearchStore,
  USER_SORTS,
  type UserFilter,
  type UserPlace,
  type UserSort,
} from '#operator/users/search-store';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import { HIGHEST, reportOf, toJson } from './user-services.ts';

type Listed = Account & { lastHour: number };
type Selection = UserFilter & { sort: UserSort; most: number };

/** Users per statement. */
const BATCH = 1_000;

/** The users of a selection, in its order. Updates the summary of calls if the order needs it. */
async function select({ sort, most, ...filter }: Selection): Promise<Listed[]> {
  return withDatabase(async (database) => {
    const { prisma } = database;
    const [refreshes, store] = [createRefreshStore(prisma), createActivityStore(prisma)];
    const activity = createActivity({ store, refreshes, clock: systemClock });
    if (sort !== 'created') await activity.update();
    const [search, report] = [createUserSearchStore(prisma), reportOf(database)];
    const listed: Listed[] = [];
    for (let after: UserPlace | undefined; listed.length < most; ) {
      const places = await search.search(filter, sort, after, Math.min(BATCH, most - listed.length), systemClock.now());
      const keys = places.map(({ key }) => key);
      const lastHours = await activity.lastHours(keys);
      for (const account of await report.of(keys))
        listed.push({ ...account, lastHour: lastHours.get(account.key) ?? 0 });
      after = places.at(-1);
      if (!after || places.length < BATCH) break;
    }
    return listed;
  });
}

const text = { type: 'string' } as const;
const SELECTION = { ...JSON_OPTION, sort: text, state: text, plan: text, limit: text };

type Values = { json: boolean; sort?: string; state?: string; plan?: string; limit?: string };

async function printSelection(values: Values, query?: string): Promise<void> {
  const sort = values.sort === undefined ? undefined : choice('--sort', values.sort, USER_SORTS);
  const accounts = await select({
    sort: sort ?? 'created',
    query,
    state: values.state === undefined ? undefined : choice('--state', values.state, USER_STATES),
    plan: values.plan === undefined ? undefined : choice('--plan', values.plan, PLAN_NAMES),
    most: values.limit === undefined ? Number.POSITIVE_INFINITY : wholeNumber('--limit', values.limit, 1, HIGHEST),
  });
  if (sort === undefined) accounts.reverse();
  if (values.json) return printJson(accounts.map((one) => ({ ...toJson(one), lastHour: one.lastHour })));
  const isByHour = sort === 'lastHour';
  const heading = [
    'key',
    'name',
    'email',
    'state',
    isByHour ? 'hour' : 'keys',
    'used',
    'limit',
    'last use',
    'valid until',
  ];
  const rows = accounts.map(
    ({ key, name, email, state, keys, used, periodLimit, lastHour, lastUsedAt, validUntil }) => [
      ...[key, cut(name, 14), cut(email, 24), state, isByHour ? lastHour : keys, used, periodLimit],
      ...[dateOf(lastUsedAt), dateOf(validUntil)],
    ],
  );
  process.stdout.write(alignedTable([heading, ...rows]));
}

export const list = command({ options: SELECTION }, ({ values }) => printSelection(values));

export const find = command({ options: SELECTION, positionals: ['text'] }, ({ values, positionals: [query = ''] }) =>
  printSelection(values, query),
);
