// The theme of all pages. As a classic script in the head, it applies before the first paint.
{
  /** The key in `localStorage`. */
  const STORAGE_KEY = 'quotient:theme';
  const root = document.documentElement;

  /** The chosen theme, if any. The browser may block storage. */
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
  // A page from the back/forward cache may have missed changes.
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
      // Without storage, the theme applies to this page only.
    }
  });
}
