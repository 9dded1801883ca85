import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { serviceNow } from '../../pages/clock.ts';
import { ButtonGroup } from '../../pages/components/button-group.tsx';
import { Field, Form } from '../../pages/components/form.tsx';
import { Table } from '../../pages/components/table.tsx';
import { useValidity } from '../../pages/components/validity.ts';
import { isoDate } from '../../pages/dates.ts';
import { count, inCalls } from '../../pages/format.ts';
import type { DataAge } from '../api/api-call.ts';
import { Age } from '../core/age.tsx';
import { PanelProblem } from '../core/failures.tsx';
import { type HistoryView, METRICS, RANGES, unavailableTexts } from './chart-choice.ts';
import { Compare } from './compare.tsx';
import { type DateRange, datePresets, INTERVALS } from './intervals.ts';
import { Plot, Tools } from './plot.tsx';
import { rowsOf } from './readout.ts';
import type { HistoryStore } from './store.ts';

type Props = { store: HistoryStore };
/** `pageAge` is the age of the prices, which the title of the page shows. */
type AgedProps = Props & { pageAge: DataAge | undefined };

/** What the actions of the panel cost. */
export const CHART_COSTS =
  'In the chart, another token, currency, time range or interval costs one call for each token in the chart. ' +
  'Candles also cost one call. Other metrics and the CSV file are free.';

/** Until a custom range is applied, the panel shows the earlier range. */
function Controls({ store }: Props) {
  const { view, isCustom, choose, openDates, metricFault, rangeFault, intervalFault, fault } = store;
  const onFault = (reason = '') => {
    fault.value = reason;
  };
  const { metric, interval } = view.value;
  const range = isCustom.value ? 'custom' : view.value.range;
  const setMetric = (next: HistoryView['metric']) => choose({ metric: next });
  const setRange = (next: HistoryView['range']) => (next === 'custom' ? openDates() : choose({ range: next }));
  const setInterval = (next: HistoryView['interval']) => choose({ interval: next });
  return (
    <>
      <div class="controls" onFocusOut={() => onFault()}>
        <ButtonGroup
          label="Metric"
          options={METRICS}
          selected={metric}
          onSelect={setMetric}
          fault={metricFault}
          onFault={onFault}
        />
        <ButtonGroup
          label="Time range"
          options={RANGES}
          selected={range}
          onSelect={setRange}
          fault={rangeFault}
          onFault={onFault}
        />
      </div>
      {isCustom.value && <Dates store={store} />}
      <div class="controls" onFocusOut={() => onFault()}>
        <ButtonGroup
          label="Interval"
          options={INTERVALS}
          selected={interval}
          onSelect={setInterval}
          fault={intervalFault}
          onFault={onFault}
        />
        <Tools store={store} />
      </div>
    </>
  );
}

const INCOMPLETE = 'Enter a complete date, including the year.';

/** Uses the browser's date fields, which follow the user's own date order. */
function Dates({ store: { dates, first, opened, dateFault, choose } }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const { from, thru } = dates.value;
  const now = serviceNow();
  function show(range: DateRange): void {
    form.current?.reset();
    choose({ range: 'custom', ...range });
  }
  const validate = useValidity(form, (fields) => {
    const isReversed = fields('thru') !== '' && fields('from') > fields('thru');
    const orderFault = isReversed ? 'The end date is before the start date.' : '';
    return { from: dateFault(fields('from')), thru: dateFault(fields('thru')) || orderFault };
  });
  useLayoutEffect(() => {
    if (opened.value > 0) form.current?.querySelector('input')?.focus();
  }, [opened.value]);
  const field = { type: 'date', required: true, wrong: INCOMPLETE, min: first.value, max: isoDate(now) } as const;
  return (
    <div class="dates">
      <Form
        formRef={form}
        button={['Apply', 'Apply', 'small']}
        onInput={validate}
        onSubmit={(fields) => show({ from: fields('from'), thru: fields('thru') })}
      >
        <Field key={`from ${from}`} {...field} name="from" label="From" defaultValue={from} />
        <Field key={`thru ${thru}`} {...field} name="thru" label="To" defaultValue={thru} />
      </Form>
      <fieldset class="row">
        <legend class="unseen">Common time ranges</legend>
        {datePresets(first.value, now).map(([label, range]) => (
          <button key={label} type="button" class="small" onClick={() => show(range)}>
            {label}
          </button>
        ))}
      </fieldset>
    </div>
  );
}

/** What the chart shows or lacks. This is below the chart, or in its place if the chart is empty. */
function Notes({ store, pageAge }: AgedProps) {
  const { state, age, isSample, isNotLoaded, tokens, gaps, reach, failure, unavailable, openDates, choose } = store;
  const { missing, range, label } = unavailable.value ? unavailableTexts(unavailable.value) : {};
  function showRange(): void {
    openDates();
    choose({ range: 'custom', ...range });
  }
  return (
    <div class="chart-notes">
      <p class="soft" role="status">
        {state.value || (isSample.value && 'The chart shows the free sample.')}
      </p>
      {(isSample.value || isNotLoaded.value) && (
        <button type="button" class="small" onClick={() => void store.load()}>
          Load chart: {inCalls(tokens.value.length)}
        </button>
      )}
      {reach.value && <p class="soft">{reach}</p>}
      <Age of={age.value} unless={pageAge} />
      {gaps.value && <p class="note warn">{gaps}</p>}
      {missing && (
        <div class="note bad" role="alert">
          <p>{missing}</p>
          {label && (
            <div class="row">
              <button type="button" class="primary" onClick={showRange}>
                {label}
              </button>
            </div>
          )}
        </div>
      )}
      <PanelProblem of={failure} />
    </div>
  );
}

const MAX_ROWS = 400;

/** The newest points first. */
function Points({ store: { drawn } }: Props) {
  const isOpen = useSignal(false);
  const { heads, rows } = isOpen.value && drawn.value ? rowsOf(drawn.value) : { heads: [], rows: [] };
  const columns = ['Time (UTC)', ...heads].map((title, place) => ({
    title,
    ...(place > 0 && { kind: 'num' as const }),
    cell: (row: string[]) => row[place],
  }));
  const items = rows.slice(-MAX_ROWS).reverse();
  const kind = heads.length > 3 ? ({ kind: 'wide' } as const) : {};
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>Show as a table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard */}
      <section class="scroll tall" tabIndex={0} aria-label="Chart data">
        <Table label="Points" {...kind} columns={columns} items={items} keyOf={([time = '']) => time} />
      </section>
      {rows.length > MAX_ROWS && (
        <p class="soft">{`The latest ${MAX_ROWS} of ${count(rows.length)} points. The CSV file contains all points.`}</p>
      )}
    </details>
  );
}

const directionOf = (note: string) => (note.startsWith('+') ? 'up' : note.startsWith('−') ? 'down' : '');

export function History({ store, pageAge }: AgedProps) {
  const { titles, isLoading, drawn, position, reading, fault, saveCsv } = store;
  const { value, label, note } = reading.value;
  return (
    <section class="panel history" aria-labelledby="chart-title" aria-busy={isLoading.value}>
      <div class="head">
        <h2 id="chart-title">{titles.value} history</h2>
        <button type="button" class="small" disabled={!drawn.value || isLoading.value} onClick={saveCsv}>
          <span>Download</span> CSV
        </button>
      </div>
      <Controls store={store} />
      <p class="readout">
        <span class="readout-value">{value}</span>{' '}
        <span class="soft">
          {label && `${label} · `}
          <span class={directionOf(note)}>{note}</span>
        </span>
      </p>
      <div class="chart-frame" data-empty={position.count.value === 0 || undefined}>
        <Plot store={store} />
        <p class="chart-fault" role="status">
          {fault}
        </p>
        {/* The key prevents a layout shift when the notes leave the place of the plot. */}
        <Notes key={String(position.count.value === 0)} store={store} pageAge={pageAge} />
      </div>
      <p class="unseen" role="status">
        {position.said}
      </p>
      <div class="chart-foot">
        <Compare store={store} />
        <Points store={store} />
      </div>
    </section>
  );
}
