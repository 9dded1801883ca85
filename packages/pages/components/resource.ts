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

  async function load(input: Input): Promise<void> {
    turn += 1;
    const ownTurn = turn;
    last = input;
    isLoading.value = true;
    const result = await read(input).then(
      (loaded) => ({ loaded, failure: undefined }),
      (thrown) => ({ loaded: value.value, failure: toError(thrown) }),
    );
    if (ownTurn !== turn) return;
    batch(() => {
      value.value = result.loaded;
      error.value = result.failure;
      isLoading.value = false;
    });
  }

  return {
    value,
    error,
    isLoading,
    load,
    reload: () => load(last as Input),
    /** Replaces the data, for example with the response of a change. */
    set(next: T): void {
      turn += 1;
      batch(() => {
        value.value = next;
        error.value = undefined;
        isLoading.value = false;
      });
    },
    clear(): void {
      turn += 1;
      batch(() => {
        value.value = undefined;
        error.value = undefined;
        isLoading.value = false;
      });
    },
  };
}

export type Resource<T> = Pick<ReturnType<typeof openResource<unknown, T>>, 'value' | 'error' | 'isLoading' | 'reload'>;
