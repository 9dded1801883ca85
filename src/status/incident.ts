import { DAY, isoDate, startOfDate } from '#core/clock';
import type { ComponentReason, ComponentState } from '#upstream/component';

type Failure = Exclude<ComponentState, 'operational'>;

/** `state` is the worst state in the period. Instants in Unix ms. `endedAt` is null while the incident lasts. */
export type Incident = {
  id: number;
  component: string;
  state: Failure;
  reason: ComponentReason;
  startedAt: number;
  endedAt: number | null;
};

export type NewIncident = Pick<Incident, 'component' | 'state' | 'reason' | 'startedAt'>;

/** How long incidents are shown, in UTC days including today. */
export const SHOWN_DAYS = 30;
export const shownSince = (now: number): number => startOfDate(now) - (SHOWN_DAYS - 1) * DAY;

/** A UTC date on which a process observed a component. */
export type ObservedDay = { component: string; date: string };

/** The worst state on a UTC date. On a day without data, no process observed the component. */
export type DayState = { date: string; state: ComponentState | 'no_data' };

type History = { incidents: readonly Incident[]; observed: readonly ObservedDay[] };

/** The shown days of a component, oldest first. */
export function dayStates(component: string, { incidents, observed }: History, now: number): DayState[] {
  const first = shownSince(now);
  const own = incidents.filter((incident) => incident.component === component);
  const dates = new Set(observed.filter((day) => day.component === component).map(({ date }) => date));
  return Array.from({ length: SHOWN_DAYS }, (_, day) => {
    const start = first + day * DAY;
    const date = isoDate(start);
    const states = own
      .filter(({ startedAt, endedAt }) => startedAt < start + DAY && (endedAt ?? now) >= start)
      .map(({ state }) => state);
    const without = dates.has(date) ? 'operational' : 'no_data';
    return { date, state: states.includes('down') ? 'down' : (states[0] ?? without) };
  });
}
