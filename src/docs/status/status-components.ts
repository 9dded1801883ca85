import { escapeHtml } from '#core/record-fields';
import { UNITS } from '#docs/guide/format';
import { type DayState, dayStates, type Incident } from '#status/incident';
import type { StatusReport } from '#status/open';
import type { Component, ComponentReason } from '#upstream/component';

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

export const timeInWords = (at: number) => new Date(at).toUTCString().replace(/^\w+, (.+) (\S+) GMT$/, '$1, $2 UTC');
export const timeHtml = (at: number) => `<time datetime="${new Date(at).toISOString()}">${timeInWords(at)}</time>`;

/** A length of time in its largest whole unit, with the next unit below ten: `1 hour 5 minutes`. */
export function lengthInWords(ms: number): string {
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

const dayInWords = (date: string) => new Date(date).toUTCString().slice(5, 11);

/** The text alternative of the row of days. */
function daysInWords(days: readonly DayState[]): string {
  const failed = days.filter(({ state }) => state !== null);
  if (failed.length === 0) return 'Last 30 days: no incident was recorded.';
  const list = failed.map(({ date, state }) => `${dayInWords(date)} ${state}`).join(', ');
  return `Last 30 days: ${list}. On all other days, no incident was recorded.`;
}

function daysHtml(days: readonly DayState[]): string {
  const bars = days.map(({ state }) => `<span class="day ${state ? STATES[state].kind : 'good'}"></span>`).join('');
  return `<div class="days" role="img" aria-label="${daysInWords(days)}">${bars}</div>`;
}

function ageHtml({ state, dataAt }: Component, at: number): string {
  if (state === 'not_configured') return '';
  const age = dataAt === null ? 'No success yet' : `Last success: ${lengthInWords(Math.max(0, at - dataAt))} ago`;
  return `<span class="age">${age}</span>`;
}

function componentHtml(component: Component, incidents: readonly Incident[], at: number): string {
  const { name, title, state } = component;
  const { kind, sign, text } = STATES[state];
  const mine = incidents.filter((incident) => incident.component === name);
  return `<li class="${kind}"><strong>${escapeHtml(title)}</strong> <span class="is"><span aria-hidden="true">${sign}</span> ${text}</span> ${ageHtml(component, at)}
${state === 'not_configured' ? '' : daysHtml(dayStates(mine, at))}</li>`;
}

/** The list of components with their states, ages and days. `at` in Unix ms. */
export function componentsHtml({ components, incidents }: StatusReport, at: number): string {
  const items = components.map((component) => componentHtml(component, incidents, at)).join('\n');
  return `<ul class="components">\n${items}\n</ul>
<p class="soft">The bars show the last 30 days, today on the right. A low bar is a day without a recorded incident, a medium bar is a degraded day, and a high bar is a day with an outage.</p>`;
}

function incidentHtml(
  { component, state, reason, startedAt, endedAt }: Incident,
  titles: Map<string, string>,
  at: number,
) {
  const { kind, text } = STATES[state];
  const length = lengthInWords((endedAt ?? at) - startedAt);
  const lasted = endedAt === null ? `ongoing for ${length}` : `lasted ${length}`;
  return `<li class="${kind}"><strong>${escapeHtml(titles.get(component) ?? component)}: ${text.toLowerCase()}</strong> ${timeHtml(startedAt)}, ${lasted}. ${REASON_TEXTS[reason] ?? ''}</li>`;
}

/** The list of incidents, newest first. `at` in Unix ms. */
export function incidentsHtml({ components, incidents }: StatusReport, at: number): string {
  if (incidents.length === 0) return '<p>No incident was recorded.</p>';
  const titles = new Map(components.map(({ name, title }) => [name, title]));
  return `<ul class="incidents">\n${incidents.map((one) => incidentHtml(one, titles, at)).join('\n')}\n</ul>`;
}
