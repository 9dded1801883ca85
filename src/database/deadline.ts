import { SECOND, secondsInWords } from '#core/clock';
import { Problem } from '#core/problems';

export const DEADLINE = 5 * SECOND;

export class TooLate extends Error {
  override readonly name = 'TooLate';
}

/** Rejects with `database_unavailable` on failure or after `ms`. A later result of the statement is ignored. */
export async function withinDeadline<Result>(
  work: Promise<Result>,
  isDatabaseError: (error: unknown) => boolean = () => true,
  ms = DEADLINE,
): Promise<Result> {
  const within = Math.max(0, Math.round(ms));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const expire = () => reject(new TooLate(`the database did not respond within ${secondsInWords(within)}`));
    timer = setTimeout(expire, within);
  });
  try {
    return await Promise.race([work, late]);
  } catch (cause) {
    if (cause instanceof Problem || !(cause instanceof TooLate || isDatabaseError(cause))) throw cause;
    throw new Problem('database_unavailable', 'The database is not responding.', { cause, retryAfter: 2 });
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

type Verb = (...args: never[]) => Promise<unknown>;

/** Applies the deadline to stores once `begin` was called: reads at startup may take longer. Rethrows bugs. */
export function createDeadline(isDatabaseError: (error: unknown) => boolean) {
  let holds = false;

  return {
    begin(): void {
      holds = true;
    },

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

/** A connection without Prisma, which prepares statements and so cannot run scripts. PGlite has this interface too. */
export type Session = {
  exec(script: string): Promise<unknown>;
  query<Row extends Record<string, unknown>>(statement: string, values?: unknown[]): Promise<{ rows: Row[] }>;
};

export async function inTransaction<T>(session: Session, begin: string, work: () => Promise<T>): Promise<T> {
  await session.exec(begin);
  try {
    const result = await work();
    await session.exec('COMMIT');
    return result;
  } catch (error) {
    // If the connection is lost, the server has already rolled back. Only the first error is reported.
    await session.exec('ROLLBACK').catch(() => {});
    throw error;
  }
}
