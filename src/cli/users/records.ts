import { createUserStore, type User } from '#accounts/keys/user-store';
import type { UserRecord } from '#accounts/records';
import { createUsers, type Users } from '#accounts/users/users';
import { wholeNumber } from '#cli/arguments';
import { withDatabase } from '#cli/configured-database';
import { printLines } from '#cli/print';
import { iso, systemClock } from '#core/clock';
import { inCommands } from './faults.ts';

/** The largest integer of the database. */
export const HIGHEST = 2_147_483_647;

/** A user's record number from the command line. Throws `ExitError`. */
export const recordNumber = (text = '') =>
  wholeNumber('<key>, the record number in `npm run users -- list`,', text, 1, HIGHEST);

/** Runs some work with the users of the configured database. */
export const withUsers = <Result>(work: (users: Users) => Promise<Result>) =>
  withDatabase(({ prisma }) =>
    work(createUsers({ store: createUserStore(prisma), clock: systemClock })).catch(inCommands),
  );

/** A user without the API key, of which only the hash is stored. */
const withoutKey = ({ key, name, email, plan, limit, createdAt, validUntil, updatedAt }: User) => ({
  ...{ key, name, email, plan, limit },
  createdAt: iso(createdAt),
  validUntil: iso(validUntil),
  updatedAt: iso(updatedAt),
});

const print = (record: object) => printLines(Object.entries(record));

/** Prints a record with the key that was just made. */
export const printRecord = (record: UserRecord) => print(record);

/** Prints a user of whom no key is known. */
export const printUser = (user: User) => print(withoutKey(user));
