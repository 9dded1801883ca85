/*
 * The theme of all pages, the console's too. This is a classic script in the head: it applies the choice before anything
 * is painted.
 */
{
  /** Where the choice is kept on this device. */
  const STORAGE_KEY = 'quotient:theme';
  const root = document.documentElement;

  /** What was chosen; a browser may refuse to tell. */
  const chosen = () => {
    try {
      return localStorage.getItem(STORAGE_KEY);
    } catch {
      return null;
    }
  };

  /** @param {string | null} choice */
  const apply = (choice) => {
    const theme = choice === 'light' || choice === 'dark' ? choice : 'system';
    root.dataset.theme = theme;
    const select = document.getElementById('theme');
    if (select instanceof HTMLSelectElement) select.value = theme;
  };

  apply(chosen());
  // A page that comes back from the back/forward cache has missed what was chosen meanwhile.
  for (const event of ['DOMContentLoaded', 'pageshow']) addEventListener(event, () => apply(chosen()));
  addEventListener('storage', ({ key, newValue }) => {
    if (key === STORAGE_KEY) apply(newValue);
  });
  addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLSelectElement) || target.id !== 'theme') return;
    apply(target.value);
    try {
      localStorage.setItem(STORAGE_KEY, target.value);
    } catch {
      // The choice holds for this page alone.
    }
  });
}
