/** Reloads the page, so that no data of the session stays in it. The reloaded page takes the notice. */
export function endSession(notice: string): void {
  history.replaceState({ ended: notice }, '');
  scrollTo(0, 0);
  location.reload();
}

/** The notice of the session whose end has loaded this page; undefined for any other load. */
export function takeEndNotice(): string | undefined {
  const ended: string | undefined = history.state?.ended;
  if (ended !== undefined) history.replaceState(null, '');
  return ended;
}
