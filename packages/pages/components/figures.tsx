import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { onDate, onDateAt, onDateAtSecond, UNKNOWN } from '../format.ts';

/** A text that a user or an operator chose. It cannot change the order of the text around it. */
export const Isolated = ({ children }: { children: ComponentChildren }) => <bdi>{children}</bdi>;

const FORMATS = { date: onDate, minute: onDateAt, second: onDateAtSecond };

/** A time in the browser's locale and in UTC, or a dash. */
export function Time({ at, to = 'minute' }: { at: Date | null; to?: keyof typeof FORMATS }) {
  return at === null ? UNKNOWN : <time dateTime={at.toISOString()}>{FORMATS[to](at)}</time>;
}

const LEVELS = {
  bad: ['suspended', 'failing', 'given_up', 'exhausted', 'revoked'],
  good: ['active', 'working'],
  warn: ['paused', 'failed', 'expired', 'replaced'],
};

const levelOf = (state: string) =>
  Object.entries(LEVELS).find(([, states]) => states.includes(state))?.[0] ?? 'neutral';

/** A state. The words carry the meaning; the color only repeats it. */
export function Tag({ state, words = state, level }: { state: string; words?: string; level?: string }) {
  return (
    <span class="tag" data-level={level ?? levelOf(state)}>
      {words}
    </span>
  );
}

type PanelProps = { title: string; actions?: ComponentChildren; class?: string; children: ComponentChildren };

export function Panel({ title, actions, class: kind = '', children }: PanelProps) {
  const id = useId();
  return (
    <section class={`panel ${kind}`} aria-labelledby={id}>
      <div class="head">
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

export type Figure = readonly [label: string, value: ComponentChildren];

/** A list of labels and values. */
export const Figures = ({ of, class: kind = '' }: { of: readonly Figure[]; class?: string }) => (
  <dl class={`key-figures ${kind}`}>
    {of.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** A use of a limit. From 80 % on, and at the limit, the color changes. */
export function Meter({ label, value, max }: { label: string; value: number; max: number }) {
  const limit = Math.max(1, max);
  return (
    <meter aria-label={label} min={0} low={limit * 0.8} high={limit * 0.999} optimum={0} max={limit} value={value} />
  );
}
