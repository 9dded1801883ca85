import { type Clock, type Instant, instantOf, MINUTE } from '#core/clock';
import { type Component, isImpaired } from '#upstream/component';
import type { Incident, NewIncident } from './incident.ts';

/** How long a component must be in a state before an incident begins or ends, in ms. */
const CONFIRMED_AFTER = MINUTE;

/** A period in which the component was operational, or was not, as seen by this process. */
type Phase = { isOperational: boolean; since: Instant };

type Dependencies = {
  /** The component's incident that has not ended, if any. */
  open: (component: string) => Incident | undefined;
  begin: (incident: NewIncident) => Promise<void>;
  end: (id: number, at: number) => Promise<void>;
  clock: Clock;
};

/**
 * Derives incidents from the observed states. The incidents of the database are compared at each observation, so a
 * process also ends the incidents of processes that have ended.
 */
export function createIncidentWatch({ open, begin, end, clock }: Dependencies) {
  const phases = new Map<string, Phase>();
  /** Incidents that are not in the database yet, for example because it was unavailable. */
  const unwritten = new Map<string, NewIncident>();

  function phaseOf(name: string, isOperational: boolean, at: Instant): Phase {
    const current = phases.get(name);
    if (current?.isOperational === isOperational) return current;
    const phase = { isOperational, since: at };
    phases.set(name, phase);
    return phase;
  }

  const isConfirmed = ({ since }: Phase, at: Instant) => at.elapsed - since.elapsed >= CONFIRMED_AFTER;

  function see(component: Component, at: Instant): void {
    const { name, reason } = component;
    const phase = phaseOf(name, !isImpaired(component), at);
    if (!isImpaired(component) || !reason || !isConfirmed(phase, at)) return;
    const { state } = component;
    const openIncident = unwritten.get(name) ?? open(name);
    if (openIncident && (openIncident.state === 'down' || openIncident.state === state)) return;
    unwritten.set(name, { component: name, state, reason, startedAt: phase.since.wall });
  }

  return {
    /** Takes note of the current states. Needs no database. */
    observe(components: readonly Component[]): void {
      const at = instantOf(clock);
      for (const component of components) see(component, at);
    },

    /** Writes the incidents that have started or ended. If a statement fails, the next call repeats it. */
    async write(): Promise<void> {
      for (const [name, incident] of unwritten) {
        await begin(incident);
        unwritten.delete(name);
      }
      const at = instantOf(clock);
      for (const [name, phase] of phases) {
        const incident = open(name);
        if (incident && phase.isOperational && isConfirmed(phase, at)) await end(incident.id, phase.since.wall);
      }
    },
  };
}
