import { createUserStore, type User } from '#accounts/keys/user-store';
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

/** Prints a record with the key that was just made. */
export const printRecord = (record: object) => printLines(Object.entries(record));

/** Prints a user of whom no key is known: only its hash is stored. */
export const printUser = ({ key, name, email, plan, limit, createdAt, validUntil, updatedAt }: User) =>
  printRecord({
    ...{ key, name, email, plan, limit },
    ...{ createdAt: iso(createdAt), validUntil: iso(validUntil), updatedAt: iso(updatedAt) },
  });
