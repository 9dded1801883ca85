import { SECOND } from './clock.ts';
import { every } from './every.ts';
import type { MetricsRegistry } from './metrics.ts';

/** How often a process reads changes by other processes, in ms. */
export const POLL_INTERVAL = SECOND;

/** Work that the process repeats. */
export type Job = {
  /** The name in the log and in the metrics. */
  name: string;
  /** The interval in ms. */
  every: number;
  /** `stopping` is aborted when the process ends. */
  run: (stopping: AbortSignal) => unknown;
  /** Whether the first run is at the start of the process instead of after the first interval. */
  isImmediate?: boolean;
  /** Whether the job reads changes by other processes. It does not run if the database has only one process. */
  isOfPeers?: boolean;
};

/** Runs each job at its interval. Runs of a job never overlap. `failed` receives the errors. */
export function runJobs(jobs: readonly Job[], failed: (name: string, error: unknown) => void) {
  const stopping = new AbortController();
  const running = new Map(
    jobs.map((job) => [
      job.name,
      every(job.every, () => job.run(stopping.signal), { onError: (error) => failed(job.name, error) }),
    ]),
  );
  for (const { name, isImmediate } of jobs) if (isImmediate) void running.get(name)?.run();

  return {
    /** Runs a job now, or joins its current run. */
    run: async (name: string): Promise<void> => running.get(name)?.run(),

    /** Stops all jobs. Resolves when their current runs have ended. */
    async close(): Promise<void> {
      stopping.abort();
      await Promise.all(running.values().map(({ close }) => close()));
    },
  };
}

export const addJobReadings = (registry: MetricsRegistry, jobs: readonly Job[]): void =>
  registry.gauges(
    () => jobs,
    ({ name }) => ({ job: name }),
    [['quotient_job_interval_seconds', 'The interval of work that the process repeats', (job) => job.every / SECOND]],
  );
