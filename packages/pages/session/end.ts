/** Reloads the page, so that no data of the session stays in it. The reloaded page shows the notice. */
export function endSession(notice: string): void {
  history.replaceState({ ended: notice }, '');
  scrollTo(0, 0);
  location.reload();
}

/** The notice, if this page was reloaded at the end of a session; otherwise undefined. */
export function takeEndNotice(): string | undefined {
  const ended: string | undefined = history.state?.ended;
  if (ended !== undefined) history.replaceState(null, '');
  return ended;
}
