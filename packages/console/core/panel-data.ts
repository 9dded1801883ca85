import { computed, signal } from '@preact/signals';
import type { QuotientClient, QuotientError } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { openResource } from '../../pages/components/resource.ts';
import type { DataAge } from '../api/api-call.ts';
import type { Session } from '../api/session.ts';
import type { Failures } from './failures.tsx';

type Options = {
  /** The codes of errors that the panel shows as one of its states. */
  states?: readonly QuotientError['code'][];
};

export type PanelContext = { session: Session; failures: Pick<Failures, 'open'> };

/** Data that a panel reads from the service, with its age and the failure of the last read. */
export function openPanelData<Input, T>(
  { session, failures }: PanelContext,
  read: (client: QuotientClient, input: Input) => Promise<T>,
  { states = [] }: Options = {},
) {
  const resource = openResource((input: Input) => read(session.client, input));
  const { value, error, isLoading } = resource;
  const failure = failures.open();
  const readAt = signal<Date | undefined>(undefined);

  async function load(input: Input): Promise<void> {
    const { client } = session;
    await resource.load(input);
    // A later read reports its own result.
    if (isLoading.value) return;
    // The key has been replaced during the read.
    if (client !== session.client) return load(input);
    if (error.value === undefined) readAt.value = new Date(serviceNow());
    if (error.value === undefined || states.includes(error.value.code)) failure.clear();
    else failure.report(error.value, () => load(input), value.value !== undefined);
  }

  return {
    value,
    error,
    isLoading,
    failure,
    load,
    set: resource.set,
    age: computed(
      (): DataAge | undefined => readAt.value && { fetchedAt: readAt.value, stale: undefined, failure: error.value },
    ),
  };
}
