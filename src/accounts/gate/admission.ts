import type { IncomingHttpHeaders } from 'node:http';
import type { Allowance, Caller, Receipt } from '#accounts/allowance/allowance';
import type { Instant } from '#core/clock';
import type { Burst } from './burst.ts';
import { covers, refuseUncovered, type WantedScope } from './key-problems.ts';
import { noteUse } from './note-use.ts';

type Dependencies = { allowance: Pick<Allowance, 'noteUse' | 'spendAtOnce'>; burst: Burst };

/** What a holder of a key passes before a route is theirs: the scope, the burst limit; and the key's use is noted. */
export function createAdmission({ allowance, burst }: Dependencies) {
  return {
    /** Throws `scope_missing` or `rate_limited`. */
    admit(caller: Caller, scope: WantedScope, headers: IncomingHttpHeaders, now: number): void {
      refuseUncovered(caller, scope);
      noteUse(allowance, caller, headers, now);
      burst.admitOrThrow(caller.user.key, now);
    },

    /** The same with the payment of a call, undefined where it has to wait or is refused: then nothing has happened. */
    admitAtOnce(
      caller: Caller,
      scope: WantedScope,
      headers: IncomingHttpHeaders,
      now: Instant,
      cost: number,
    ): Receipt | undefined {
      // Looked at first: what is refused for coming too fast must not count among what the key spends.
      if (!covers(caller, scope) || burst.refuses(caller.user.key, now.wall)) return undefined;
      const receipt = allowance.spendAtOnce(caller, now, cost);
      if (receipt === undefined) return undefined;
      burst.admitOrThrow(caller.user.key, now.wall);
      noteUse(allowance, caller, headers, now.wall);
      return receipt;
    },
  };
}

export type Admission = ReturnType<typeof createAdmission>;
