import { batch, signal } from '@preact/signals';
import type { QuotientError } from '../../client/index.ts';
import { toError } from '../problem.ts';

/**
 * Data that is read from the service. Only the newest read writes, so a slow response never replaces the data of a later
 * request. The data of the last successful read stays while a read is running and after an error.
 */
export function openResource<Input, T>(read: (input: Input) => Promise<T>) {
  const value = signal<T | undefined>(undefined);
  const error = signal<QuotientError | undefined>(undefined);
  const isLoading = signal(false);
  let turn = 0;
  let last: Input | undefined;

  function end(next: T | undefined, failure?: QuotientError): void {
    turn += 1;
    batch(() => {
      value.value = next;
      error.value = failure;
      isLoading.value = false;
    });
  }

  async function load(input: Input): Promise<void> {
    turn += 1;
    const ownTurn = turn;
    last = input;
    isLoading.value = true;
    try {
      const loaded = await read(input);
      if (ownTurn === turn) end(loaded);
    } catch (thrown) {
      if (ownTurn === turn) end(value.value, toError(thrown));
    }
  }

  return {
    value,
    error,
    isLoading,
    load,
    reload: () => load(last as Input),
    /** Replaces the data, for example with the response of a change. */
    set: (next: T): void => end(next),
    clear: (): void => end(undefined),
  };
}

export type Resource<T> = Pick<ReturnType<typeof openResource<unknown, T>>, 'value' | 'error' | 'isLoading' | 'reload'>;
