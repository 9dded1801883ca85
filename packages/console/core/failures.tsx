import { type ReadonlySignal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type Answer, QuotientError } from '../../client/index.ts';
import { Problem } from '../../pages/components/states.tsx';
import { isExhausted, isKeyProblem, isTemporary, toError } from '../../pages/problem.ts';
import { openRetries, type Retry, type RetryGroup } from './retries.ts';

/** Where a panel shows the failure of its calls. */
export type PanelFailure = {
  /** Shows an error. `hasFigures` means that the panel shows earlier figures. */
  report: (thrown: unknown, retry: Retry, hasFigures?: boolean) => void;
  /** Removes the error and its retry, because a call has succeeded or is no longer needed. */
  clear: () => void;
  /** The error that only this panel shows, or `elsewhere` for an error above the panels. */
  shown: ReadonlySignal<QuotientError | 'elsewhere' | undefined>;
  own: RetryGroup;
};

/** Shows each error once: in the panel if it concerns only that panel, otherwise above the panels. */
export function openFailures() {
  const retries = openRetries();
  const connection = retries.open();
  const keyProblem = signal<QuotientError | undefined>(undefined);
  addEventListener('online', connection.retryUnreachable);

  function open(): PanelFailure {
    const own = retries.open();
    const shown = signal<QuotientError | 'elsewhere' | undefined>(undefined);
    return {
      own,
      shown,
      report(thrown, retry, hasFigures = false) {
        const error = toError(thrown);
        const elsewhere = hasFigures ? undefined : 'elsewhere';
        if (isKeyProblem(error)) {
          shown.value = elsewhere;
          if (keyProblem.value?.code !== error.code) keyProblem.value = error;
          // An exhausted limit resets by itself. A problem with the key requires action by the user.
          if (isExhausted(error.code) && error.retryAfter !== undefined) {
            const resume = () => {
              keyProblem.value = undefined;
              return retry();
            };
            own.add(own, error, resume, { isSilent: true });
          }
        } else if (isTemporary(error) && !error.code.startsWith('upstream_')) {
          shown.value = elsewhere;
          connection.add(own, error, retry);
        } else if (isTemporary(error)) {
          shown.value = undefined;
          own.add(own, error, retry);
        } else {
          shown.value = error;
        }
      },
      clear() {
        shown.value = undefined;
        own.remove(own);
        connection.remove(own);
      },
    };
  }

  return {
    open,
    connection,
    /** The problem with the key or its limit. */
    keyProblem: keyProblem as ReadonlySignal<QuotientError | undefined>,
    isBlocked: () => keyProblem.value !== undefined,
    /** A successful response triggers the pending retries. An error does not, because a proxy may have sent it. */
    onAnswer({ status }: Pick<Answer, 'status'>): void {
      if (status < 400) connection.retryUnreachable();
    },
    clear(): void {
      keyProblem.value = undefined;
      retries.clear();
    },
  };
}

export type Failures = ReturnType<typeof openFailures>;

/** An error whose calls are retried. Screen readers skip the countdown. */
function RetryNote({ of: { error, countdown, retry } }: { of: RetryGroup }) {
  const { value } = error;
  if (!value) return null;
  const { code, detail } = value;
  return (
    <Problem error={new QuotientError(code, detail, { ...value, retryAfter: undefined })}>
      <span class="unseen">The page retries automatically.</span>
      <span aria-hidden="true">{countdown.value}</span>
      <button type="button" class="small" onClick={retry}>
        Retry now
      </button>
    </Problem>
  );
}

function PanelNote({ of: { shown, own } }: { of: PanelFailure }) {
  const { value } = shown;
  if (value === undefined) return <RetryNote of={own} />;
  if (value !== 'elsewhere') return <Problem error={value} />;
  return <p class="soft">Not loaded. See the message at the top of this page.</p>;
}

/** The failure of a panel. The element stays, because screen readers announce only changes of its content. */
export const PanelProblem = ({ of }: { of: PanelFailure }) => (
  <div class="problem" role="alert">
    <PanelNote of={of} />
  </div>
);

type AlertsProps = { failures: Failures; remedy: (error: QuotientError) => ComponentChildren };

/** The errors that concern all panels. `remedy` returns the next step for a problem with the key. */
export const Alerts = ({ failures: { keyProblem, connection }, remedy }: AlertsProps) => (
  <>
    <div class="banner" role="alert">
      {keyProblem.value && <Problem error={keyProblem.value}>{remedy(keyProblem.value)}</Problem>}
    </div>
    <div class="banner" role="alert">
      <RetryNote of={connection} />
    </div>
  </>
);
