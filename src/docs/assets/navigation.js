/**
 * The contents, which mark the current section of the page. On a phone, they are a menu.
 * @param {HTMLElement} page
 */
export function openNavigation(page) {
  const contents = /** @type {HTMLElement} */ (page.querySelector('#contents'));
  const button = /** @type {HTMLElement} */ (page.querySelector('#contents-button'));
  const links = new Map(
    [.../** @type {NodeListOf<HTMLAnchorElement>} */ (contents.querySelectorAll('.sections a'))].map((link) => [
      link.hash.slice(1),
      link,
    ]),
  );

  /** @type {HTMLElement | null} */
  let current = contents.querySelector('[aria-current="page"]');

  function showCurrent() {
    if (!current) return;
    const { offsetTop, offsetHeight } = current;
    const { scrollTop, clientHeight } = contents;
    if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight)
      contents.scrollTop = offsetTop - clientHeight / 3;
  }

  /** @param {HTMLElement} link */
  function mark(link) {
    if (current?.getAttribute('aria-current') === 'location') current.removeAttribute('aria-current');
    current = link;
    link.setAttribute('aria-current', 'location');
    showCurrent();
  }

  // The current section crosses a line below the top of the window.
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        const link = links.get(target.id);
        if (isIntersecting && link) mark(link);
      }
    },
    { rootMargin: '-15% 0px -84% 0px' },
  );
  for (const id of links.keys()) {
    const section = document.getElementById(id);
    if (section) observer.observe(section);
  }

  showCurrent();

  /** @param {boolean} isOpen */
  function setOpen(isOpen) {
    button.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) showCurrent();
  }

  button.addEventListener('click', () => setOpen(button.getAttribute('aria-expanded') !== 'true'));
  contents.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) setOpen(false);
  });
  contents.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    setOpen(false);
    button.focus();
  });

  return { close: () => setOpen(false) };
}
