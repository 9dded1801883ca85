import { choice, type Given } from '#cli/arguments';
import { withDatabase } from '#cli/configured-database';
import { alignedTable, cut, dateOf, note, number, print, printJson } from '#cli/output';
import { systemClock } from '#core/clock';
import { LARGEST_NUMBER } from '#keys/api-key';
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
import { type Account, accountRecord, USER_STATES } from '#users/administration/account-report';
import { PLAN_NAMES } from '#users/plan';
import { optionalNumber, reportOf } from './user-services.ts';

type Listed = Account & { lastHour: number };
type Selection = UserFilter & { sort: UserSort; most: number };

const BATCH = 1_000;
const DEFAULT_LIMIT = 100;

async function select({ sort, most, ...filter }: Selection): Promise<Listed[]> {
  return withDatabase(async (database) => {
    const { prisma } = database;
    const activity = createActivity({
      store: createActivityStore(prisma),
      refreshes: createRefreshStore(prisma),
      clock: systemClock,
    });
    if (sort !== 'created') await activity.update();
    const search = createUserSearchStore(prisma);
    const report = reportOf(database);
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

export const SELECTION = {
  [`sort <${USER_SORTS.join('|')}>`]: 'the order (default: by record number)',
  [`state <${USER_STATES.join('|')}>`]: 'only users in this state',
  [`plan <${PLAN_NAMES.join('|')}>`]: 'only users with this plan',
  'limit <users>': `only the first users in the order or, without --sort, the newest users (default: ${DEFAULT_LIMIT})`,
  json: 'prints all fields as JSON',
};

export async function printSelection({ values, flags }: Given): Promise<void> {
  const sort = values.sort === undefined ? undefined : choice('--sort', values.sort, USER_SORTS);
  const most = optionalNumber('--limit', values.limit, 1, LARGEST_NUMBER) ?? DEFAULT_LIMIT;
  const found = await select({
    sort: sort ?? 'created',
    query: values.text,
    state: values.state === undefined ? undefined : choice('--state', values.state, USER_STATES),
    plan: values.plan === undefined ? undefined : choice('--plan', values.plan, PLAN_NAMES),
    most: most + 1,
  });
  const accounts = found.slice(0, most);
  if (found.length > most && values.limit === undefined) {
    note(`only ${number(most)} users are shown: use --limit <users>, a filter, or \`quotient users find\``);
  }
  if (sort === undefined) accounts.reverse();
  if (flags.has('json'))
    return printJson(accounts.map((account) => ({ ...accountRecord(account), lastHour: account.lastHour })));
  const isByHour = sort === 'lastHour';
  const heading = ['key', 'name', 'email', 'state', isByHour ? 'hour' : 'keys', 'used', 'limit'];
  const rows = accounts.map((account) => [
    String(account.key),
    cut(account.name, 14),
    cut(account.email, 24),
    account.state,
    isByHour ? account.lastHour : account.keys,
    account.used,
    account.periodLimit,
    dateOf(account.lastUsedAt),
    dateOf(account.validUntil),
  ]);
  print(alignedTable([[...heading, 'last use', 'valid until'], ...rows]));
}
