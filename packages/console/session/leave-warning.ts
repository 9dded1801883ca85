const ask = (event: Event): void => event.preventDefault();

/** Has the browser ask before the page is left, or not any more: for a key that is shown once and not saved yet. */
export function warnBeforeLeaving(isNeeded: boolean): void {
  // Only while it is needed: some browsers keep no page for the back button that listens.
  if (isNeeded) addEventListener('beforeunload', ask);
  else removeEventListener('beforeunload', ask);
}
