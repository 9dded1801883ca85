import type { ComponentChildren } from 'preact';
import type { Question } from '../../pages/components/dialog.tsx';
import type { Fields } from '../../pages/components/form.tsx';
import { ask, report, user as shown } from '../core/store.ts';

/** A change of a user. `done` states the result. */
export type Action = Question & { label: string; done: (values: Fields) => ComponentChildren };

/** Asks for a change, makes it, reports it, and shows the changed user. */
export function start(action: Action): void {
  ask({
    ...action,
    async act(values, show) {
      let isShowing = false;
      await action.act(values, (content) => {
        isShowing = true;
        show(content);
      });
      report(action.done(values));
      const loaded = shown.reload();
      // A new key is shown without waiting for the view.
      if (!isShowing) await loaded;
    },
  });
}
