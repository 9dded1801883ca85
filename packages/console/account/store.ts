import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { QuotientClient, Usage, UsageBy, UserOfKey } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import type { Questions } from '../../pages/components/dialog.tsx';
import { isoDate } from '../../pages/dates.ts';
import { saveFile } from '../../pages/download.ts';
import { toError } from '../../pages/problem.ts';
import { masked } from '../api/answer-text.ts';
import type { DataAge } from '../api/api-call.ts';
import type { Access, Session } from '../api/session.ts';
import type { Failures } from '../core/failures.tsx';
import { type Renewal, renewalOf } from './validity.ts';

/** The delay in ms from the last response of a burst to the single request that reads the usage. */
const SETTLE_MS = 400;

/** The statuses of requests that are rejected before they are charged. */
const REJECTED: ReadonlySet<number> = new Set([400, 401, 403, 429]);

type Options = {
  session: Session;
  failures: Failures;
  access: ReadonlySignal<Access>;
  questions: Questions;
  isSignedIn: () => boolean;
  /** Reads the usage for the page Usage. Undefined if that page is not open. */
  reloadUsagePage: () => Promise<void> | undefined;
  /** `oldKey` states when the old key stops working. */
  onKeyReplaced: (oldKey: string) => void;
  onRenewed: () => void;
  onSignedOut: (notice: string) => void;
};

/** The allowance. Each response updates it, and then the free usage call. */
function openAllowance({ session, failures, isSignedIn, reloadUsagePage }: Options) {
  const usage = signal<Usage | undefined>(undefined);
  const left = signal<{ remaining: number; limit: number } | undefined>(undefined);
  const validUntil = signal<Date | undefined>(undefined);
  const age = signal<DataAge | undefined>(undefined);
  const isLoading = signal(true);
  const failure = failures.open();
  let readAt: Date | undefined;
  /** The numbers of the last read, and of the read that is shown. */
  let turn = 0;
  let shownTurn = 0;
  let running: { client: QuotientClient; by: UsageBy | undefined; usage: Promise<Usage> } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function show(next: Usage): void {
    readAt = new Date(serviceNow());
    batch(() => {
      usage.value = next;
      left.value = next;
      validUntil.value = next.validUntil;
      age.value = undefined;
    });
    failure.clear();
  }

  async function requestUsage(client: QuotientClient, by?: UsageBy): Promise<Usage> {
    turn += 1;
    const ownTurn = turn;
    try {
      const next = await client.usage({ by });
      if (ownTurn > shownTurn && client === session.client) {
        shownTurn = ownTurn;
        show(next);
      }
      return next;
    } catch (thrown) {
      if (session.user) {
        age.value = readAt && { fetchedAt: readAt, stale: undefined, failure: toError(thrown) };
        failure.report(thrown, refresh, readAt !== undefined);
      }
      throw thrown;
    } finally {
      isLoading.value = false;
      if (ownTurn === turn) running = undefined;
    }
  }

  /** Reads the usage for a page. The newest response updates the allowance. Pages share a read that is running. */
  function readUsage(client: QuotientClient, by?: UsageBy): Promise<Usage> {
    if (running?.client !== client || running.by !== by) running = { client, by, usage: requestUsage(client, by) };
    return running.usage;
  }

  async function refresh(): Promise<void> {
    if (session.user) await (reloadUsagePage() ?? readUsage(session.client).catch(() => undefined));
  }

  session.onAnswer(({ allowance, path, status }) => {
    if (!isSignedIn() || path.startsWith('/v1/user')) return;
    if (allowance) left.value = { remaining: allowance.remaining, limit: allowance.limit };
    // Any other request may have been charged while it was answered, and refunded since.
    if (REJECTED.has(status)) return;
    clearTimeout(timer);
    timer = setTimeout(refresh, SETTLE_MS);
  });

  return { usage, left, validUntil, age, isLoading, failure, refresh, readUsage };
}

/** The user, the key in use and the allowance. */
export function createAccountStore(options: Options) {
  const { session, access } = options;
  const user = signal<UserOfKey | undefined>(undefined);
  const maskedKey = signal('');
  const isRemembered = signal(false);
  const { usage, left, ...allowance } = openAllowance(options);
  const { validUntil } = allowance;

  function renewal(): Renewal {
    const { value: ends } = validUntil;
    if (!ends) return { isPossible: false, from: undefined };
    return renewalOf({ access: access.value, validUntil: ends, resetsAt: usage.value?.resetsAt }, serviceNow());
  }

  return {
    ...options,
    user,
    maskedKey,
    isRemembered,
    ...allowance,
    renewal,
    usage: () => usage.value,
    left: () => left.value,

    /** Shows the user and the key of the session. */
    update(): void {
      batch(() => {
        user.value = session.user && { ...session.user };
        validUntil.value = session.user?.validUntil;
        maskedKey.value = masked(session.key);
        isRemembered.value = session.isRemembered();
      });
    },

    setRemembered(isOn: boolean): void {
      session.setRemembered(isOn);
      isRemembered.value = isOn;
    },

    async saveData(): Promise<void> {
      const data = await session.client.exportUser();
      const text = JSON.stringify(data, null, 2);
      saveFile(`quotient-account-${isoDate(serviceNow())}.json`, new Blob([text], { type: 'application/json' }));
    },
  };
}

export type AccountStore = ReturnType<typeof createAccountStore>;
/** What other parts know of the allowance. */
export type Allowance = Pick<AccountStore, 'refresh' | 'usage' | 'left'>;
