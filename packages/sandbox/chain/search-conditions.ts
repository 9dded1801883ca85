import type { Delivered } from './deliver.ts';

/** `key` is `tx.height`, `tx.hash`, or an event type and attribute such as `message.sender`. */
export type Condition = { key: string; operator: '=' | '<' | '<=' | '>' | '>='; value: string };

const COMPARISONS: Record<Condition['operator'], (a: number, b: number) => boolean> = {
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

const CONDITION = /^([\w-]+\.[\w.-]+)\s*(<=|>=|=|<|>)\s*(?:'([^']*)'|(\d+))$/;

/** Parses `message.sender='cosmos1…' AND tx.height>=5`. Returns null for malformed text. */
export function readConditions(text: string): Condition[] | null {
  const conditions = text.split(/\s+AND\s+/).map((part): Condition | null => {
    const [, key, operator, quoted, number] = CONDITION.exec(part.trim()) ?? [];
    if (!key) return null;
    return { key, operator: operator as Condition['operator'], value: quoted ?? number ?? '' };
  });
  return conditions.every((condition) => condition !== null) ? conditions : null;
}

export function satisfies(delivered: Delivered, conditions: readonly Condition[]): boolean {
  const events = [...delivered.feeEvents, ...delivered.messageEvents.flat()];
  return conditions.every(({ key, operator, value }) => {
    if (key === 'tx.height') return COMPARISONS[operator](delivered.height, Number(value));
    if (key === 'tx.hash') return delivered.hash === value.toUpperCase();
    const dot = key.indexOf('.');
    const [type, name] = [key.slice(0, dot), key.slice(dot + 1)];
    return events.some(
      (event) =>
        event.type === type &&
        event.attributes.some((attribute) => attribute.key === name && attribute.value === value),
    );
  });
}
