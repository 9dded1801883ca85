import { byId, make, makeFigure, softText } from '../../pages/dom.ts';
import { count, inCalls, onDate, onDateAt, orUnknown } from '../../pages/format.ts';
import type { Context, View } from '../core/context.ts';
import { openLoader } from '../core/loader.ts';
import type { SourceReport } from '../generated/records.ts';
import { stateTag } from '../users/words.ts';

/** When the budget runs out at this month's average rate. A budget is that of a calendar month, in UTC. */
function endOf({ limit, remaining, exhaustedAt }: NonNullable<SourceReport['budget']>, now: Date): string {
  if (limit === null) return 'never';
  if (remaining === 0) {
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
    return `spent until ${onDate(next)}`;
  }
  return exhaustedAt === null ? 'not this month' : onDateAt(exhaustedAt);
}

/** The budget of the month, with a forecast at its average rate. */
function budgetOf({ name, budget }: SourceReport): HTMLElement[] {
  if (!budget) return [softText('This source has no budget.')];
  const { limit, used, remaining, forecast } = budget;
  const end = makeFigure('Runs out', endOf(budget, new Date()));
  if (budget.exhaustedAt !== null) end.classList.add('warn');
  const meter = make('meter', { min: '0', max: String(Math.max(1, limit ?? used)), 'aria-label': `Budget of ${name}` });
  meter.value = used;
  return [
    ...(limit === null ? [] : [meter]),
    make(
      'dl',
      { class: 'key-figures' },
      makeFigure('Used this month', limit === null ? inCalls(used) : `${count(used)} of ${inCalls(limit)}`),
      makeFigure('Remaining', remaining === null ? 'without a limit' : inCalls(remaining)),
      makeFigure('Forecast for the month', inCalls(forecast)),
      end,
    ),
  ];
}

function panelOf(source: SourceReport): HTMLElement {
  const { name, state, lastSuccessAt, lastFailure, inactiveTokens } = source;
  const id = `source-${name}`;
  return make(
    'section',
    { class: 'panel', 'aria-labelledby': id },
    make('div', { class: 'head' }, make('h2', { id }, name), stateTag(state)),
    make(
      'dl',
      { class: 'key-figures' },
      makeFigure('Last success', orUnknown(lastSuccessAt, onDateAt)),
      makeFigure('Last failure', lastFailure ? `${onDateAt(lastFailure.at)}: ${lastFailure.cause}` : 'none'),
      ...(inactiveTokens.length > 0 ? [makeFigure('Tokens without a current price', inactiveTokens.join(', '))] : []),
    ),
    ...budgetOf(source),
  );
}

export function openSources({ api }: Pick<Context, 'api'>): View {
  const content = byId('sources-content');
  const load = openLoader(content, byId('sources-problem'));
  const show = () => load(api.sources, (sources) => content.replaceChildren(...sources.map(panelOf)));
  byId('sources-refresh').addEventListener('click', () => void show());
  return show;
}
