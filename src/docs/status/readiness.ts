import { Problem } from '#core/problems';
import type { Capability } from '#server/capability';
import type { Warning } from '#upstream/warning';

type Dependencies = {
  /** Throws `database_unavailable`. */
  checkDatabase: () => Promise<void>;
  isStopping: () => boolean;
  /** What may warn of what it could not get. */
  capabilities: readonly Pick<Capability, 'warnings'>[];
};

/** Creates what tells whether the process can serve: throws a problem where it cannot, else gives what it warns of. */
export function createReadiness({ checkDatabase, isStopping, capabilities }: Dependencies) {
  return async function readiness(): Promise<Warning[]> {
    if (isStopping()) throw new Problem('overloaded', 'This process is stopping.', { retryAfter: 1 });
    await checkDatabase();
    return capabilities.flatMap(({ warnings }) => warnings?.() ?? []);
  };
}

export type Readiness = ReturnType<typeof createReadiness>;
