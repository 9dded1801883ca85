import { useSignal } from '@preact/signals';
import { serviceNow } from '../../pages/clock.ts';
import { ButtonGroup } from '../../pages/components/button-group.tsx';
import { Check } from '../../pages/components/choices.tsx';
import { Code, CopyButton } from '../../pages/components/code.tsx';
import { Panel } from '../../pages/components/figures.tsx';
import { answerText, EXAMPLES, type Language, masked, snippet } from '../api/answer-text.ts';
import { type ApiCall, latestPricesCall, statisticsCall, usageCall } from '../api/api-call.ts';
import { historyCall } from '../history/chart-choice.ts';
import type { PricesStore } from './store.ts';

const CALLS = [
  ['chart', 'Chart'],
  ['latest', 'Prices'],
  ['statistics', 'Statistics'],
  ['usage', 'Usage'],
] as const;
type CallName = (typeof CALLS)[number][0];

const LANGUAGES = [
  ['curl', 'curl'],
  ['javascript', 'JavaScript'],
  ['python', 'Python'],
  ['client', 'Client'],
  ['csv', 'curl (CSV)'],
] as const satisfies readonly (readonly [Language, string])[];

/** The call with this name, with the selected token, view and currency. */
function callOf(name: CallName, { view, list, statistics }: PricesStore): ApiCall {
  const { value: symbol } = statistics.symbol;
  if (!view.value || name === 'usage') return usageCall;
  if (name === 'statistics' && symbol) return statisticsCall(symbol);
  if (name === 'latest') return latestPricesCall(list.batchOf(view.value.token), view.value.currency);
  return historyCall(view.value, serviceNow());
}

/** The calls of the page as code, with their last responses. */
export function Snippets({ store }: { store: PricesStore }) {
  const { view, statistics, responses, session, allowance } = store;
  const chosen = useSignal<CallName>('chart');
  const language = useSignal<Language>('curl');
  const isRevealed = useSignal(false);
  const hasStatistics = statistics.symbol.value !== undefined;
  const name = chosen.value === 'statistics' && !hasStatistics ? 'chart' : chosen.value;
  const call = callOf(name, store);
  const shown = language.value === 'csv' && !call.hasCsv ? 'curl' : language.value;
  const response = name === 'usage' ? allowance.usage() : responses.value.get(call.path);
  const example = EXAMPLES[view.value?.metric === 'candles' && name === 'chart' ? 'candles' : name];
  const code = (key: string) => snippet(call, shown, session.baseUrl.replace(/\/$/, ''), key);
  return (
    <Panel title="API call" class="snippets">
      <div class="controls">
        <ButtonGroup
          label="Call"
          options={CALLS.filter(([one]) => one !== 'statistics' || hasStatistics)}
          selected={name}
          onSelect={(next) => (chosen.value = next)}
        />
        <ButtonGroup
          label="Language"
          options={LANGUAGES.filter(([one]) => one !== 'csv' || call.hasCsv)}
          selected={shown}
          onSelect={(next) => (language.value = next)}
        />
      </div>
      <div class="snippet">
        <div>
          <h3>Request</h3>
          <Code text={code(isRevealed.value ? session.key : masked(session.key))} />
          <div class="foot">
            <CopyButton text={code(session.key)} label="Copy with key" />
            <Check name="reveal" label="Show key" onValue={(isOn) => (isRevealed.value = isOn)} />
          </div>
        </div>
        <div>
          <h3>{response ? 'Response' : 'Example response'}</h3>
          <Code text={answerText(call.path, response ?? example, shown)} />
        </div>
      </div>
    </Panel>
  );
}
