import { SECOND } from '#core/clock';
import { Problem } from '#core/problems';

/** How long anybody waits for a statement, in ms. */
export const DEADLINE = 5 * SECOND;

/** The database did not answer in time. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
}

/**
 * What the database answers, or `database_unavailable` when it fails or takes too long. The statement itself may go on;
 * how it ends is ignored.
 * @param isDatabaseError which errors are the database's; all of them where left out
 * @param ms how long it may take, less than usual for who has waited already
 */
export async function withinDeadline<Answer>(
  work: Promise<Answer>,
  isDatabaseError: (error: unknown) => boolean = () => true,
  ms = DEADLINE,
): Promise<Answer> {
  const within = Math.max(0, Math.round(ms));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const give = () => reject(new TooLate(`the database did not answer within ${within} ms`));
    timer = setTimeout(give, within);
  });
  try {
    return await Promise.race([work, late]);
  } catch (cause) {
    if (cause instanceof Problem || !(cause instanceof TooLate || isDatabaseError(cause))) throw cause;
    throw new Problem('database_unavailable', 'The database cannot be reached.', { cause, retryAfter: 2 });
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

type Verb = (...args: never[]) => Promise<unknown>;

/**
 * The deadline of every call of a store, put around the stores where they are made. It holds from `begin` on: what a
 * start reads may take longer.
 * @param isDatabaseError whether an error is the database's, and not a fault of ours
 */
export function createDeadline(isDatabaseError: (error: unknown) => boolean) {
  let holds = false;

  return {
    begin(): void {
      holds = true;
    },

    /** The same verbs, each of which throws `database_unavailable` when the database cannot do it in time. */
    over<Store extends Record<keyof Store, Verb>>(store: Store): Store {
      const bound = Object.entries<Verb>(store).map(([name, verb]) => [
        name,
        (...args: never[]) => (holds ? withinDeadline(verb(...args), isDatabaseError) : verb(...args)),
      ]);
      return Object.fromEntries(bound) as Store;
    },
  };
}

export type Deadline = ReturnType<typeof createDeadline>;

/**
 * One connection of its own, below Prisma, which prepares each statement and so cannot run a script of many:
 * `exec` runs a script, `query` one statement with its values. PGlite is one as it stands.
 */
export type Session = {
  exec(script: string): Promise<unknown>;
  query<Row extends Record<string, unknown>>(statement: string, values?: unknown[]): Promise<{ rows: Row[] }>;
};

/** Runs some work in one transaction, which `begin` begins; nothing of it stays when it fails. */
export async function inTransaction<T>(session: Session, begin: string, work: () => Promise<T>): Promise<T> {
  await session.exec(begin);
  try {
    const result = await work();
    await session.exec('COMMIT');
    return result;
  } catch (error) {
    // A connection that is gone cannot roll back, and need not: the server has. The first error is the one to tell.
    await session.exec('ROLLBACK').catch(() => {});
    throw error;
  }
}
