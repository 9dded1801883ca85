import type { ComponentChildren } from 'preact';
import type { QuotientError } from '../../client/index.ts';
import { problemTexts } from '../problem.ts';
import type { Resource } from './resource.ts';

type ProblemProps = { error: QuotientError; title?: string; remedy?: string; children?: ComponentChildren };

/** An error, with its title and the next step if the page knows them. */
export function Problem({ error, title, remedy, children }: ProblemProps) {
  const { first, faults, more, documented } = problemTexts(error);
  return (
    <div class="note bad">
      {title && (
        <p>
          <strong>{title}</strong>
        </p>
      )}
      <p>{first}</p>
      {faults.length > 0 && (
        <ul>
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
      {more.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {remedy && <p>{remedy}</p>}
      {documented && (
        <p class="soft">
          <a href={`docs/problems#${documented}`}>About {documented}</a>
          {error.requestId && ` (request ${error.requestId})`}
        </p>
      )}
      {children && <div class="row">{children}</div>}
    </div>
  );
}

export const Empty = ({ children }: { children: ComponentChildren }) => <p class="empty">{children}</p>;

export const Loading = () => <p class="loading soft">Loading…</p>;

type LoadedProps<T> = {
  of: Resource<T>;
  /** Shows an error with `Problem`, and the texts that the page knows about it. */
  problem?: (error: QuotientError, retry: ComponentChildren) => ComponentChildren;
  children: (value: T) => ComponentChildren;
};

/** The data of a resource, or its loading or error state. An error appears above the data of an earlier read. */
export function Loaded<T>({ of, problem, children }: LoadedProps<T>) {
  const { value, error, isLoading, reload } = of;
  const retry = (
    <button type="button" class="small" onClick={() => void reload()}>
      Try again
    </button>
  );
  const shown = (failure: QuotientError) => problem?.(failure, retry) ?? <Problem error={failure}>{retry}</Problem>;
  return (
    <div class="loaded" aria-busy={isLoading.value}>
      <div role="alert">{error.value && shown(error.value)}</div>
      {value.value !== undefined ? children(value.value) : !error.value && <Loading />}
    </div>
  );
}
