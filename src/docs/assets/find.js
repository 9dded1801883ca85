import { announce } from './samples.js';
import { loadEntries, search } from './search.js';

/** @import { Entry } from './search.js' */

/**
 * The search in all pages: `/` focuses it, arrow keys select, Enter opens the result. The first focus loads the index.
 * @param {HTMLElement} page
 * @param {string} basePath ends in a slash
 * @param {() => void} onLeave runs after a selection
 */
export function openFind(page, basePath, onLeave) {
  const input = /** @type {HTMLInputElement} */ (page.querySelector('#find'));
  const list = /** @type {HTMLElement} */ (page.querySelector('#found'));
  const nothing = /** @type {HTMLElement} */ (page.querySelector('#nothing-found'));
  /** @type {Entry[] | undefined} */
  let entries;
  let isLoading = false;
  /** @type {Entry[]} */
  let found = [];
  let chosen = 0;

  function close() {
    nothing.hidden = true;
    closeList();
  }

  function closeList() {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  }

  /** @param {number} place */
  function choose(place) {
    chosen = (place + found.length) % found.length;
    for (const [index, option] of [...list.children].entries()) {
      option.setAttribute('aria-selected', String(index === chosen));
      if (index === chosen) option.scrollIntoView({ block: 'nearest' });
    }
    input.setAttribute('aria-activedescendant', `found-${chosen}`);
  }

  async function load() {
    isLoading = true;
    try {
      entries = await loadEntries(`${basePath}docs/search.json`);
      if (document.activeElement === input) find();
    } catch {
      // The next input loads the index again.
      nothing.textContent = 'The search is unavailable. Use the contents instead.';
      nothing.hidden = input.value.trim() === '';
    }
    isLoading = false;
  }

  function find() {
    if (!entries) {
      if (!isLoading) load();
      return;
    }
    found = search(entries, input.value);
    const query = input.value.trim();
    const isVain = query !== '' && found.length === 0;
    nothing.textContent = `Nothing found for “${query}”`;
    nothing.hidden = !isVain;
    if (query) announce(isVain ? nothing.textContent : `${found.length} found`);
    input.toggleAttribute('data-nothing', isVain);
    if (found.length === 0) return closeList();
    list.replaceChildren(...found.map(optionOf));
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    choose(0);
  }

  /** @param {Entry | undefined} entry */
  function go(entry) {
    if (!entry) return;
    input.value = '';
    close();
    onLeave();
    const { pathname, hash, href } = new URL(entry.href, location.href);
    // On the same page, moves the keyboard focus to the target. The browser moves the focus last, at `hashchange`.
    if (pathname === location.pathname && hash) {
      addEventListener('hashchange', focusTarget, { once: true });
      if (location.hash === hash) focusTarget();
    }
    location.assign(href);
  }

  function focusTarget() {
    const heading = document.querySelector(':target :is(h2, h3) a, h3:target a');
    if (heading instanceof HTMLElement) heading.focus({ preventScroll: true });
    else input.blur();
  }

  input.addEventListener('input', find);
  input.addEventListener('focus', find);
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      if (input.value === '') input.blur();
      close();
    } else if (list.hidden) {
      return;
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      choose(chosen + (event.key === 'ArrowDown' ? 1 : -1));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      go(found[chosen]);
    }
  });
  // Runs before the input loses the focus, which would close the list.
  list.addEventListener('pointerdown', (event) => event.preventDefault());
  list.addEventListener('click', ({ target }) => {
    const option = target instanceof Element ? target.closest('li') : null;
    if (option) go(found[[...list.children].indexOf(option)]);
  });
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

/** @param {Entry} entry @param {number} place */
function optionOf({ title, note }, place) {
  const option = document.createElement('li');
  option.role = 'option';
  option.id = `found-${place}`;
  const name = document.createElement('span');
  name.textContent = title;
  const small = document.createElement('span');
  small.className = 'soft';
  small.textContent = note;
  option.append(name, ' ', small);
  return option;
}
