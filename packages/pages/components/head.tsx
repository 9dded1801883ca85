import type { ComponentChildren } from 'preact';

type HeadProps = { title: ComponentChildren; hint?: ComponentChildren; children?: ComponentChildren };

/** The title of a view, with its hint and its buttons. */
export const Head = ({ title, hint, children }: HeadProps) => (
  <header class="view-head">
    <div>
      <h1 tabIndex={-1}>{title}</h1>
      {hint && <p class="soft">{hint}</p>}
    </div>
    {children && <div class="row">{children}</div>}
  </header>
);

/** Reads the data of a view again. */
export const Refresh = ({ of }: { of: { reload: () => Promise<void> } }) => (
  <button type="button" class="small" onClick={() => void of.reload()}>
    Refresh
  </button>
);
