import { make, makeButton, makeFigure, softText } from '../../pages/dom.ts';
import { count, inCalls, onDate, onDateAt, UNKNOWN } from '../../pages/format.ts';
import { isolated } from '../../pages/phrase.ts';
import { makeRow, makeTable } from '../../pages/table.ts';
import type { OperatorKey, OperatorUserDetail } from '../generated/records.ts';
import { lifeOfKey, nameOfKey, periodInWords, stateTag } from './words.ts';

const panel = (id: string, title: string, ...content: (Node | string)[]) =>
  make(
    'section',
    { class: `panel ${id}`, 'aria-labelledby': `${id}-title` },
    make('div', { class: 'head' }, make('h2', { id: `${id}-title` }, title)),
    ...content,
  );

function meterOf({ used, periodLimit }: OperatorUserDetail): HTMLElement {
  const meter = make('meter', { min: '0', max: String(Math.max(1, periodLimit)), 'aria-label': 'Used calls' });
  meter.value = used;
  return meter;
}

export function accountPanel(user: OperatorUserDetail): HTMLElement {
  const { nextPlan, notices } = user;
  const next = nextPlan
    ? [make('span', { class: 'soft' }, `${nextPlan.plan}, ${inCalls(nextPlan.limit)}, from ${onDateAt(nextPlan.from)}`)]
    : [];
  const email = user.email === null ? UNKNOWN : isolated(user.email);
  const verified = make('span', { class: 'soft' }, user.isVerified ? 'confirmed' : 'not confirmed');
  return panel(
    'account-facts',
    'Account',
    make(
      'p',
      { class: 'left' },
      make('span', { class: 'big' }, count(user.used)),
      make('span', { class: 'soft' }, `of ${inCalls(user.periodLimit)} used in this period`),
    ),
    meterOf(user),
    make(
      'dl',
      { class: 'key-figures' },
      makeFigure('Email', email, ...(user.email === null ? [] : [verified])),
      makeFigure('Record number', String(user.key)),
      makeFigure('Plan', user.plan, ...next),
      makeFigure('Limit per period', periodInWords(user)),
      makeFigure('Period', `${onDate(user.periodStart)} to ${onDateAt(user.resetsAt)}`),
      makeFigure('Calls of the last hour', count(user.lastHour)),
      makeFigure('Valid until', onDateAt(user.validUntil)),
      makeFigure('Registered', onDateAt(user.createdAt)),
      makeFigure('Last call', user.lastUsedAt ? onDateAt(user.lastUsedAt) : 'never'),
      makeFigure('Notices by email', notices.email ? `on, at ${notices.thresholds.join(', ')}%` : 'off'),
      makeFigure('Webhook', notices.webhookUrl === null ? 'none' : isolated(notices.webhookUrl)),
    ),
  );
}

/** `revoke` is undefined for a key that cannot be revoked. */
export function keysPanel(
  keys: readonly OperatorKey[],
  revoke: (key: OperatorKey) => (() => void) | undefined,
): HTMLElement {
  const items = keys.map((key) => {
    const act = revoke(key);
    const button = act && makeButton('Revoke…', act, 'small');
    button?.setAttribute('aria-label', `Revoke ${nameOfKey(key)}…`);
    const origin = key.seenOrigin === null ? [] : [softText(`Used by a page of ${key.seenOrigin}.`)];
    return make(
      'li',
      { class: 'key-item' },
      make('p', { class: 'key-name' }, make('strong', {}, isolated(nameOfKey(key))), stateTag(key.state)),
      softText(`Scopes: ${key.scopes.join(', ')}. ${lifeOfKey(key)}`),
      ...origin,
      ...(button ? [button] : []),
    );
  });
  const none = softText('This user has no keys.');
  return panel('keys', 'Keys', items.length > 0 ? make('ul', { class: 'key-list' }, ...items) : none);
}

export function creditsPanel({ grants }: OperatorUserDetail): HTMLElement {
  if (grants.length === 0) return panel('credits', 'Credits', softText('No credits were granted.'));
  const rows = grants.map(({ calls, reason, periodStart, createdAt }) =>
    makeRow([count(calls), 'num'], [onDate(createdAt)], [onDate(periodStart)], [isolated(reason), 'text']),
  );
  const table = makeTable('Credits', [['Calls', 'num'], ['Granted'], ['Period from'], ['Reason']], ...rows);
  const scroll = make('section', { class: 'scroll', tabindex: '0', 'aria-label': 'Credits' }, table);
  return panel('credits', 'Credits', scroll);
}

export function suspensionNote({ suspension }: OperatorUserDetail): HTMLElement[] {
  if (!suspension) return [];
  const { since, reason } = suspension;
  const text = make(
    'p',
    {},
    make('strong', {}, `Suspended since ${onDateAt(since)}. `),
    'The user sees this reason: ',
    isolated(reason),
  );
  return [make('div', { class: 'note warn' }, text)];
}
