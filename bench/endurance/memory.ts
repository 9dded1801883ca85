import { residentSize } from '../measuring/resident-size.ts';
import { atMost, type Figure, median } from '../measuring/table.ts';
import type { Fleet, Member } from './fleet.ts';

const MINUTE = 60_000;
/** The age at which caches are full and code is compiled, in ms. */
const SETTLED_AFTER = 2 * MINUTE;
/** The minimum age for a comparison, in ms. In a shorter run, the third minute is too close to the last minute. */
const LONG_ENOUGH = 5 * MINUTE;
const GROWTH = 1.1;

/** The resident size (MB) of one process, by its age in ms. */
type Series = { name: string; startedAt: number; samples: { age: number; size: number }[] };

/** Samples the resident size of every process once per second, until `close`. */
export function watchMemory(fleet: Fleet) {
  const all: Series[] = [];

  async function measure(member: Member): Promise<void> {
    const size = await residentSize(member.server.pid);
    if (size === undefined || member.killedAt !== undefined) return;
    let series = all.find(({ name, startedAt }) => name === member.name && startedAt === member.startedAt);
    if (!series) {
      series = { name: member.name, startedAt: member.startedAt, samples: [] };
      all.push(series);
    }
    series.samples.push({ age: performance.now() - member.startedAt, size });
  }
  const watching = setInterval(() => void Promise.all(fleet.members.map(measure)), 1_000);

  const between = ({ samples }: Series, from: number, thru: number): number =>
    median(samples.filter(({ age }) => age >= from && age < thru).map(({ size }) => size));

  return {
    close: (): void => clearInterval(watching),

    /** For each process, the median of the last minute relative to the median of the third minute. */
    figures: (): Figure[] =>
      all.map((series, i) => {
        const { name, samples } = series;
        const end = samples.at(-1)?.age ?? 0;
        const last = between(series, end - MINUTE, Number.POSITIVE_INFINITY);
        const restarted = all.slice(0, i).some((earlier) => earlier.name === name) ? ', restarted' : '';
        const figure = `memory of ${name}${restarted}: last minute against third minute`;
        if (end < LONG_ENOUGH) {
          const age = `${(end / 1000).toFixed(0)} s`;
          return { figure, measured: `${last.toFixed(0)} MB after ${age}, too short to compare`, bar: '' };
        }
        const third = between(series, SETTLED_AFTER, SETTLED_AFTER + MINUTE);
        const judged = atMost(figure, last / third, GROWTH, '×');
        return { ...judged, measured: `${judged.measured} (${third.toFixed(0)} → ${last.toFixed(0)} MB)` };
      }),
  };
}
