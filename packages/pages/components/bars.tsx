import { useSignal } from '@preact/signals';
import { count } from '../format.ts';

export type Bar = { name: string; value: number };

/** Shows a value per name, such as calls per day. The line above has a fixed place and shows the bar under the pointer. */
export function Bars({ bars, summary }: { bars: readonly Bar[]; summary: string }) {
  const pointed = useSignal<Bar | undefined>(undefined);
  const most = Math.max(0, ...bars.map(({ value }) => value));
  return (
    <div class="bars">
      <p class="soft">{pointed.value ? `${pointed.value.name}: ${count(pointed.value.value)}` : summary}</p>
      <div class="bars-plot" aria-hidden="true" onPointerLeave={() => (pointed.value = undefined)}>
        <span class="bars-most">{bars.length > 0 && count(most)}</span>
        {bars.map((bar) => (
          <span key={bar.name} class="bar-slot" onPointerEnter={() => (pointed.value = bar)}>
            <span
              class={bar.value > 0 ? 'day' : 'day none'}
              style={{ height: `${Math.max(2, (bar.value / Math.max(1, most)) * 100)}%` }}
            />
          </span>
        ))}
      </div>
      <p class="soft daily-ends" aria-hidden="true">
        <span>{bars.at(0)?.name ?? '\u00a0'}</span>
        <span>{bars.at(-1)?.name}</span>
      </p>
    </div>
  );
}
