import { DAY, union } from '#core/clock';
import { escapeHtml } from '#core/forms/record-fields';
import { type DayState, dayStates, type Incident, SHOWN_DAYS } from '#status/incident';
import type { StatusReport } from '#status/open-status';
import type { Component, ComponentReason } from '#upstream/component';
import { UNITS } from '#web/format';

/** The public reason of an incident. It names no host, URL or account. */
export const REASON_TEXTS: Readonly<Record<ComponentReason, string>> = {
  source_failing: 'A data source did not respond correctly.',
  all_sources_failing: 'No data source responded correctly.',
  node_failing: 'A node did not respond correctly.',
  all_nodes_failing: 'No node responded correctly.',
  mail_failing: 'The mail server did not accept emails.',
  database_unavailable: 'The database was unavailable.',
};

const STATES: Readonly<Record<Component['state'], { kind: string; sign: string; text: string }>> = {
  operational: { kind: 'good', sign: '✓', text: 'Operational' },
  degraded: { kind: 'fair', sign: '!', text: 'Degraded' },
  down: { kind: 'bad', sign: '✕', text: 'Down' },
  not_configured: { kind: 'none', sign: '–', text: 'Not configured' },
};

const dateInWords = (at: number) => new Date(at).toUTCString().slice('Sat, '.length, 'Sat, 21 Nov 2026'.length);
export const timeInWords = (at: number) => `${dateInWords(at)}, ${new Date(at).toISOString().slice(11, 19)} UTC`;
export const timeHtml = (at: number) => `<time datetime="${new Date(at).toISOString()}">${timeInWords(at)}</time>`;

/** A length of time in its largest whole unit. Below ten, the next smaller unit follows: `1 hour 5 minutes`. */
function durationInWords(ms: number): string {
  const place = UNITS.findIndex(([unit]) => ms >= unit);
  if (place === -1) return 'less than a second';
  let rest = ms;
  const words = UNITS.slice(place, place + 2).flatMap(([unit, name]) => {
    const count = Math.floor(rest / unit);
    rest -= count * unit;
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? '' : 's'}`];
  });
  return words.join(' ');
}

/** The classes and the texts of days, in the order of the text. */
const DAYS: Readonly<Record<DayState['state'], { kind: string; text: string }>> = {
  down: { kind: 'bad', text: 'down' },
  degraded: { kind: 'fair', text: 'degraded' },
  operational: { kind: 'good', text: 'operational' },
  no_data: { kind: 'none', text: 'no data' },
};

/** Dates in words, with one range for consecutive dates: `21 Nov 2026, 23 Nov 2026 to 26 Nov 2026`. */
function datesInWords(dates: readonly number[]): string {
  const runs = union(dates.map((date) => ({ from: date, thru: date + DAY - 1 })));
  const words = runs.map(({ from, thru }) => {
    const isOneDay = thru - from < DAY;
    return isOneDay ? dateInWords(from) : `${dateInWords(from)} to ${dateInWords(thru)}`;
  });
  return words.join(', ');
}

/** The text alternative for the row of days, with the failed days first. */
function daysInWords(days: readonly DayState[]): string {
  const words = Object.entries(DAYS).flatMap(([state, { text }]) => {
    const dates = days.filter((day) => day.state === state).map(({ date }) => Date.parse(date));
    return dates.length === 0 ? [] : [`${text} on ${datesInWords(dates)}`];
  });
  return `Last ${SHOWN_DAYS} days: ${words.join('; ')}.`;
}

function daysHtml(days: readonly DayState[]): string {
  const bars = days.map(({ state }) => `<span class="day ${DAYS[state].kind}"></span>`).join('');
  return `<div class="days" role="img" aria-label="${daysInWords(days)}">${bars}</div>`;
}

function ageHtml({ state, dataAt }: Component, at: number): string {
  if (state === 'not_configured' || dataAt === undefined) return '';
  const age = dataAt === null ? 'No success yet' : `Last success: ${durationInWords(Math.max(0, at - dataAt))} ago`;
  return `<span class="age">${age}</span>`;
}

function componentHtml(component: Component, report: StatusReport, at: number): string {
  const { name, title, state } = component;
  const { kind, sign, text } = STATES[state];
  return `<li class="${kind}"><strong>${escapeHtml(title)}</strong> <span class="is"><span aria-hidden="true">${sign}</span> ${text}</span> ${ageHtml(component, at)}
${state === 'not_configured' ? '' : daysHtml(dayStates(name, report, at))}</li>`;
}

/** The list of components with their states, ages and days. `at` in Unix ms. */
export function componentsHtml(report: StatusReport, at: number): string {
  const items = report.components.map((component) => componentHtml(component, report, at)).join('\n');
  return `<ul class="components">\n${items}\n</ul>
<p class="soft">The bars show the last ${SHOWN_DAYS} days, today on the right. A gray line is a day without data, a low bar is a day without a recorded incident, a medium bar is a degraded day, and a high bar is a day with an outage.</p>`;
}

function incidentHtml(
  { component, state, reason, startedAt, endedAt }: Incident,
  titles: Map<string, string>,
  at: number,
) {
  const { kind, text } = STATES[state];
  const length = durationInWords((endedAt ?? at) - startedAt);
  const lasted = endedAt === null ? `ongoing for ${length}` : `lasted ${length}`;
  return `<li class="${kind}"><strong>${escapeHtml(titles.get(component) ?? component)}: ${text.toLowerCase()}</strong> ${timeHtml(startedAt)}, ${lasted}. ${REASON_TEXTS[reason] ?? ''}</li>`;
}

/** The list of incidents, newest first. `at` in Unix ms. */
export function incidentsHtml({ components, incidents }: StatusReport, at: number): string {
  if (incidents.length === 0) return '<p>No incident was recorded.</p>';
  const titles = new Map(components.map(({ name, title }) => [name, title]));
  return `<ul class="incidents">\n${incidents.map((incident) => incidentHtml(incident, titles, at)).join('\n')}\n</ul>`;
}
