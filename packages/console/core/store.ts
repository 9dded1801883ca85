import { signal } from '@preact/signals';
import { openQuestions } from '../../pages/components/dialog.tsx';
import { takeEndNotice } from '../../pages/session/end.ts';
import { openCurrency } from './currency.ts';
import { openFailures } from './failures.tsx';
import { type PageName, pageIn } from './router.ts';

/* The state of the page: the place in the URL, the notice, the failures and the open dialog. */

export type ViewName = 'resume' | 'welcome' | 'mail-link' | 'key-created' | 'pages';

/** The notice of the session that has ended before this page was loaded. */
export const ended = takeEndNotice();

/** Undefined until the first view is known. */
export const view = signal<ViewName | undefined>(undefined);
/** The page of the URL, which is shown after the sign-in. */
export const page = signal<PageName>(pageIn(location.hash) ?? 'prices');
/** A text above all views. */
export const notice = signal('');
/** The title of the document while the page Prices is shown. */
export const pricesTitle = signal('Prices · Quotient');

export const isShown = (name: PageName) => view.value === 'pages' && page.value === name;

export const failures = openFailures();
export const questions = openQuestions();
export const currency = openCurrency((document.body.dataset.currencies ?? '').split(' '));

// `popstate` also follows a click on a link to a fragment.
addEventListener('popstate', () => {
  page.value = pageIn(location.hash) ?? page.value;
});
