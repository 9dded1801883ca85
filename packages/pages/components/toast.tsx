import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

export type Level = 'good' | 'bad';

export function openToasts() {
  const shown = signal<{ text: ComponentChildren; level: Level } | undefined>(undefined);
  return {
    shown,
    /** Shows the result of a change until the next one, or until the user closes it or leaves the view. */
    report(text: ComponentChildren, level: Level = 'good'): void {
      shown.value = { text, level };
    },
    clear(): void {
      shown.value = undefined;
    },
  };
}

/** The result of the last change. The element stays, because screen readers announce only changes of its content. */
export function Toast({ toasts: { shown, clear } }: { toasts: ReturnType<typeof openToasts> }) {
  return (
    <div class="toast" data-level={shown.value?.level}>
      <div role="status" aria-label="Result">
        {shown.value && <p>{shown.value.text}</p>}
      </div>
      {shown.value && (
        <button type="button" class="small plain" aria-label="Close the message" onClick={clear}>
          ✕
        </button>
      )}
    </div>
  );
}
