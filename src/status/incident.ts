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

/** The worst state on a UTC date; null without an incident. */
export type DayState = { date: string; state: Failure | null };

/** The shown days, oldest first, by the incidents of one component. */
export function dayStates(incidents: readonly Incident[], now: number): DayState[] {
  const first = shownSince(now);
  return Array.from({ length: SHOWN_DAYS }, (_, day) => {
    const start = first + day * DAY;
    const states = incidents
      .filter(({ startedAt, endedAt }) => startedAt < start + DAY && (endedAt ?? now) >= start)
      .map(({ state }) => state);
    return { date: isoDate(start), state: states.includes('down') ? 'down' : (states[0] ?? null) };
  });
}
