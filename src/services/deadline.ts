import { SECOND } from '#domain/clock';
import { Problem } from '#problems';

/** A statement that takes longer has failed, as far as those who wait for it are concerned; in ms. */
export const DEADLINE = 5 * SECOND;

class TooLate extends Error {
  override readonly name = 'TooLate';
}

/**
 * What the database answers, or `database_unavailable` when it takes too long or fails: with whatever error, unless
 * it is told which. The statement itself may go on, and nobody hears how it ends.
 * @param ms how long it may take, where some of the time has been waited already
 */
export async function reach<Answer>(
  work: Promise<Answer>,
  isDatabases: (error: unknown) => boolean = () => true,
  ms = DEADLINE,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const give = () => reject(new TooLate(`the database did not answer within ${DEADLINE} ms`));
    timer = setTimeout(give, Math.max(0, ms));
  });
  try {
    return await Promise.race([work, late]);
  } catch (cause) {
    if (cause instanceof Problem || !(cause instanceof TooLate || isDatabases(cause))) throw cause;
    throw new Problem('database_unavailable', 'The database cannot be reached.', { cause, retryAfter: 2 });
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/** `reach` of a question whose answer many share: all of them have the same deadline. */
export function reachTogether<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  let told: Promise<Answer>;
  return () => {
    const answer = ask();
    if (answer !== asked) {
      asked = answer;
      told = reach(answer);
    }
    return told;
  };
}

type Verb = (...args: never[]) => Promise<unknown>;

/**
 * The deadline of every question to the database, put around the stores where they are made. What a start reads takes
 * as long as it takes: the deadline holds from `begin` on.
 * @param isDatabases whether an error tells of the database's state, and not of a fault of ours
 */
export function createDeadline(isDatabases: (error: unknown) => boolean) {
  let holds = false;

  return {
    begin(): void {
      holds = true;
    },

    /** The same verbs, each of which throws `database_unavailable` when the database cannot do it in time. */
    over<Store extends Record<keyof Store, Verb>>(store: Store): Store {
      const bound = Object.entries<Verb>(store).map(([name, verb]) => [
        name,
        (...args: never[]) => (holds ? reach(verb(...args), isDatabases) : verb(...args)),
      ]);
      return Object.fromEntries(bound) as Store;
    },
  };
}

export type Deadline = ReturnType<typeof createDeadline>;
