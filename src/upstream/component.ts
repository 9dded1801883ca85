import { type Clock, HOUR } from '#core/clock';
import { ageAt } from './freshness.ts';
import type { SourceOutcome } from './source-outcomes-store.ts';

export type ComponentState = 'operational' | 'degraded' | 'down';

/** Why a component is not operational. The list is fixed, because the status page is public. */
export type ComponentReason =
  | 'source_failing'
  | 'all_sources_failing'
  | 'node_failing'
  | 'all_nodes_failing'
  | 'mail_failing'
  | 'database_unavailable';

export type Component = {
  name: string;
  title: string;
  state: ComponentState | 'not_configured';
  /** Undefined while the component is operational or not configured. */
  reason?: ComponentReason | undefined;
  /** When the newest data arrived or the component last worked (Unix ms). Null: unknown; undefined: secret. */
  dataAt: number | null | undefined;
};

export const isImpaired = (component: Component): component is Component & { state: 'degraded' | 'down' } =>
  component.state === 'degraded' || component.state === 'down';

/** A failure that no call follows is ignored after this time, in ms. A failing source is paused for up to an hour. */
const FORGOTTEN_AFTER = 2 * HOUR;
/** The causes for which the source responded, but does not have the requested data. */
const RESPONSES: ReadonlySet<string> = new Set(['out_of_reach', 'not_listed']);

/** Whether the last call to a source failed. A response without the requested data is not a failure. */
export const hasFailed = ({ succeededAt, failure }: SourceOutcome, now: number): boolean =>
  failure !== null && !RESPONSES.has(failure.cause) && ageAt(failure.at, now) < ageAt(succeededAt ?? undefined, now);

/** Whether the last call to a source, by any process, failed recently. */
export const isFailing = (outcome: SourceOutcome, now: number, forgottenAfter = FORGOTTEN_AFTER): boolean =>
  hasFailed(outcome, now) && ageAt(outcome.failure?.at, now) < forgottenAfter;

type Sourced = Pick<Component, 'name' | 'title'> & {
  dataAt: number | null;
  sources: readonly string[];
  latest: (source: string) => SourceOutcome;
  /** How long stored data remains useful while every source fails, in ms. */
  usefulFor: number;
  reasons?: { some: ComponentReason; all: ComponentReason };
  clock: Clock;
};

/** A component whose data comes from sources. Its state depends on the last call to each source. */
export function sourcedComponent({ sources, latest, usefulFor, clock, reasons, ...about }: Sourced): Component {
  const { some, all } = reasons ?? { some: 'source_failing', all: 'all_sources_failing' };
  const now = clock.now();
  const failing = sources.filter((source) => isFailing(latest(source), now));
  if (failing.length === 0) return { ...about, state: 'operational' };
  if (failing.length < sources.length) return { ...about, state: 'degraded', reason: some };
  const isUseful = about.dataAt !== null && now - about.dataAt < usefulFor;
  return { ...about, state: isUseful ? 'degraded' : 'down', reason: all };
}
