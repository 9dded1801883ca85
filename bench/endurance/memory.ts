import { residentSize } from '../resident-size.ts';
import { atMost, type Figure, median } from '../table.ts';
import type { Fleet, Member } from './fleet.ts';

const MINUTE = 60_000;
/** By then the caches are filled and the compiler is done. */
const SETTLED_AFTER = 2 * MINUTE;
/** Shorter lives say nothing: their third minute is as good as their last. */
const LONG_ENOUGH = 5 * MINUTE;
const GROWTH = 1.1;

/** One process from its start to its end: its resident size (MB) at so many ms of its life. */
type Life = { name: string; startedAt: number; samples: { age: number; size: number }[] };

/** Looks at the resident size of every process once a second; `close` ends it. */
export function watchMemory(fleet: Fleet) {
  const lives: Life[] = [];

  async function look(member: Member): Promise<void> {
    const size = await residentSize(member.server.pid);
    if (size === undefined || member.killedAt !== undefined) return;
    let life = lives.find(({ name, startedAt }) => name === member.name && startedAt === member.startedAt);
    if (!life) {
      life = { name: member.name, startedAt: member.startedAt, samples: [] };
      lives.push(life);
    }
    life.samples.push({ age: performance.now() - member.startedAt, size });
  }
  const watching = setInterval(() => void Promise.all(fleet.members.map(look)), 1_000);

  const between = ({ samples }: Life, from: number, thru: number): number =>
    median(samples.filter(({ age }) => age >= from && age < thru).map(({ size }) => size));

  return {
    close: (): void => clearInterval(watching),

    /** For each life: the median of its last minute in proportion to that of its third. */
    figures: (): Figure[] =>
      lives.map((life, i) => {
        const { name, samples } = life;
        const end = samples.at(-1)?.age ?? 0;
        const last = between(life, end - MINUTE, Number.POSITIVE_INFINITY);
        const again = lives.slice(0, i).some((earlier) => earlier.name === name) ? ', started again' : '';
        const figure = `memory of ${name}${again}: last minute against its third`;
        if (end < LONG_ENOUGH) {
          const lived = `${(end / 1000).toFixed(0)} s`;
          return { figure, measured: `${last.toFixed(0)} MB after ${lived}, too short to judge`, bar: '' };
        }
        const third = between(life, SETTLED_AFTER, SETTLED_AFTER + MINUTE);
        const judged = atMost(figure, last / third, GROWTH, '×');
        return { ...judged, measured: `${judged.measured} (${third.toFixed(0)} → ${last.toFixed(0)} MB)` };
      }),
  };
}
