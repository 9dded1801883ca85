import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ButtonGroup } from '../../pages/components/button-group.tsx';
import { Field, Form } from '../../pages/components/form.tsx';
import { useValidity } from '../../pages/components/validity.ts';
import { inCalls } from '../../pages/format.ts';
import type { HistoryView } from './chart-choice.ts';
import { MODES } from './comparison.ts';
import { lastRow, rowInWords, sinceInWords } from './comparison-words.ts';
import type { HistoryStore } from './store.ts';

/** Adds tokens to the chart, and lists their lines. */
export function Compare({ store }: { store: HistoryStore }) {
  const { catalogue, tokens, view, costOfOneMore } = store;
  const form = useRef<HTMLFormElement>(null);
  const validate = useValidity(form, (fields) => ({ compare: store.tokenFault(fields('compare')) }));
  // The list is filled on first use, because it can have a thousand entries.
  const isUsed = useSignal(false);
  useEffect(() => form.current?.addEventListener('focusin', () => (isUsed.value = true), { once: true }), []);
  const shown = tokens.value.map(({ tokenName }) => tokenName);
  const offered = catalogue.value.filter(({ tokenName }) => !shown.includes(tokenName));
  const add = `Add: ${inCalls(costOfOneMore.value)}`;
  const focusButton = () => form.current?.querySelector('button')?.focus();
  /** Prices can differ by orders of magnitude, so they are first shown on a log scale. */
  const setMode = (mode: HistoryView['mode']) => store.choose({ mode, scale: mode === 'price' ? 'log' : 'linear' });
  return (
    <div class="compare">
      {tokens.value.length > 1 && <Legend store={store} onRemoved={focusButton} />}
      <Form
        class="compare-form"
        formRef={form}
        button={[add, add, 'small']}
        onInput={validate}
        onSubmit={(fields) => {
          const name = fields('compare');
          form.current?.reset();
          store.add(name);
        }}
      >
        <Field name="compare" label="Compare with" list="compare-tokens" placeholder={offered[0]?.tokenName} />
        <datalist id="compare-tokens">
          {isUsed.value &&
            offered.map(({ tokenName, title, symbol }) => (
              <option key={tokenName} value={title}>
                {symbol.toUpperCase()}
              </option>
            ))}
        </datalist>
      </Form>
      {tokens.value.length > 1 && (
        <ButtonGroup label="Values" options={MODES} selected={view.value.mode} onSelect={setMode} />
      )}
    </div>
  );
}

/** The values of the lines in the selected row; without one, their last values. */
function Legend({ store, onRemoved }: { store: HistoryStore; onRemoved: () => void }) {
  const { tokens, drawn, position, remove } = store;
  const { comparison, view } = drawn.value ?? {};
  return (
    <ul class="legend" aria-label="Lines">
      {tokens.value.map((token, place) => {
        const { tokenName, title } = token;
        const line = comparison?.lines.find((one) => one.token.tokenName === tokenName);
        const row = line && (position.index.value ?? lastRow(line));
        const [value, note] = line && view && row !== undefined ? rowInWords(line, row, view) : [];
        return (
          <li key={tokenName}>
            <svg class={`line-sample line-${place + 1}`} viewBox="0 0 36 8" aria-hidden="true">
              <path d="M0 4H36" />
            </svg>
            <span class="legend-name">
              {title} {line && <span class="soft">{sinceInWords(line, comparison?.dates ?? [])}</span>}
            </span>
            <span class="legend-value">{value}</span>
            <span class="soft">{note}</span>
            {place > 0 && (
              <button
                type="button"
                class="plain"
                aria-label={`Remove ${title}`}
                onClick={() => {
                  remove(token);
                  // The button that had the focus is gone.
                  onRemoved();
                }}
              >
                ×
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
