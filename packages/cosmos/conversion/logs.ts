import { count, isMembers, list, type Members, malformed, members, string, text } from '../parsers.ts';

/** The legacy interface merges the events of each type into one. */
type LegacyEvent = { type: string; attributes: { key: string; value?: string }[] };
type LegacyLog = { msg_index: number; success: true; log: string; events: LegacyEvent[] };

const MAX_ELEMENTS = 100_000;

function attributesOf(value: unknown): LegacyEvent['attributes'] {
  return list(value, 'attributes', MAX_ELEMENTS).map((one) => {
    const { key, value: reported } = members(one, 'attribute');
    return { key: string(key ?? '', 'key'), value: string(reported ?? '', 'value') };
  });
}
const eventsOf = (value: unknown): LegacyEvent[] =>
  list(value, 'events', MAX_ELEMENTS).map((one) => {
    const { type, attributes } = members(one, 'event');
    return { type: text(type, 'type of an event'), attributes: attributesOf(attributes) };
  });

/** Merges the events of each type and sorts them by type, as nodes do in their logs. */
function groupByType(events: readonly LegacyEvent[]): LegacyEvent[] {
  const byType = new Map<string, LegacyEvent['attributes']>();
  for (const { type, attributes } of events) {
    const before = byType.get(type);
    if (before) for (const one of attributes) before.push(one);
    else byType.set(type, [...attributes]);
  }
  return [...byType].map(([type, attributes]) => ({ type, attributes })).sort((a, b) => (a.type < b.type ? -1 : 1));
}

const log = (msg_index: number, events: LegacyEvent[], reported = ''): LegacyLog => ({
  msg_index,
  success: true,
  log: reported,
  events,
});

/** Converts the logs that nodes reported before SDK 0.50. */
const reportedLogs = (logs: readonly unknown[]): LegacyLog[] =>
  logs.map((one) => {
    const { msg_index, log: reported, events } = members(one, 'log');
    return log(Number(count(msg_index, 'msg_index', 9)), eventsOf(events), string(reported ?? '', 'log'));
  });

/** Since SDK 0.50, events contain `msg_index`, except fee and signature events, which were never part of the logs. */
function logsOfEvents(events: readonly LegacyEvent[], messages: number): LegacyLog[] {
  const byMessage: LegacyEvent[][] = Array.from({ length: messages }, () => []);
  for (const { type, attributes } of events) {
    const index = attributes.find(({ key }) => key === 'msg_index')?.value;
    byMessage[Number(index ?? Number.NaN)]?.push({
      type,
      attributes: attributes.filter(({ key }) => key !== 'msg_index'),
    });
  }
  return byMessage.map((own, i) => log(i, groupByType(own)));
}

/** The outcome of a transaction in the legacy shape, with one log for each of its `messages`. */
export function legacyOutcome(response: Members, messages: number): Members {
  const { logs, raw_log, events, code, height, ...rest } = response;
  const isExecuted = count(code, 'code') === '0' && count(height, 'height') !== '0';
  const kept = { height, ...(code !== undefined && { code }), ...rest };
  const reported = list(logs, 'logs', MAX_ELEMENTS);
  const raw = raw_log === undefined || raw_log === null ? '' : string(raw_log, 'raw_log');
  if (!isExecuted && reported.length === 0) return { ...kept, raw_log: raw };
  const found = reported.length > 0 ? reportedLogs(reported) : logsOfEvents(eventsOf(events), messages);
  if (found.length === 0) return { ...kept, raw_log: raw };
  return {
    ...kept,
    raw_log: raw === '' ? JSON.stringify(found) : raw,
    logs: found,
    events: groupByType(found.flatMap((one) => one.events)),
  };
}

export function messageCount(tx: unknown): number {
  const body = isMembers(tx) ? tx.body : undefined;
  const messages = isMembers(body) ? body.messages : undefined;
  if (Array.isArray(messages) && messages.length > MAX_ELEMENTS) throw malformed('messages');
  return Array.isArray(messages) ? messages.length : 0;
}
