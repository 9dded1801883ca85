import { announce } from './samples.js';

/** @typedef {{ label: string, note: string, href: string, words: string, text: ReadonlySet<string>, isField: boolean }} Entry */

/** The maximum number of results: as many as fit above a phone's keyboard. */
const MOST = 8;

/** @param {Element | null | undefined} element */
const textOf = (element) => (element?.textContent ?? '').replace(/\s+/g, ' ').trim();

/**
 * The search entries: sections, operations, parameters, fields and problem codes, each with its text.
 * @param {HTMLElement} page
 */
function entriesOf(page) {
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  /** @param {string} label @param {string} note @param {string} href @param {string} more @param {string} text */
  const add = (label, note, href, more, text, isField = false) =>
    entries.set(`${label} ${href}`, {
      ...{ label, note, href, isField, text: wordsOf(text) },
      words: `${label} ${note} ${more}`.toLowerCase(),
    });

  for (const link of page.querySelectorAll('.contents a')) {
    const href = link.getAttribute('href') ?? '';
    const path = textOf(link.querySelector('.path'));
    const title = path ? textOf(link.querySelector('.name')) : textOf(link);
    add(title, path || 'Section', href, href, textOf(document.getElementById(href.slice(1))));
  }
  for (const operation of page.querySelectorAll('.operation')) {
    const title = textOf(operation.querySelector('h3'));
    for (const code of operation.querySelectorAll('.fields th > code')) {
      const name = textOf(code);
      const shared = document.getElementById(`parameter-${name}`);
      if (shared) add(name, 'Parameter of several paths', `#${shared.id}`, '', textOf(shared));
      else add(name, `in: ${title}`, `#${operation.id}`, '', textOf(code.closest('tr')), true);
    }
  }
  for (const link of page.querySelectorAll('.codes a'))
    add(textOf(link), `Problem ${textOf(link.parentElement).slice(0, 3)}`, link.getAttribute('href') ?? '', '', '');
  return [...entries.values()];
}

/** Removes a plural ending, so that `currencies` matches `currency`. @param {string} word */
const singular = (word) =>
  word.length < 4
    ? word
    : word
        .replace(/ies$/, 'y')
        .replace(/(ss|sh|x)es$/, '$1')
        .replace(/([^s])s$/, '$1');

/** The words of a text, in the singular. @param {string} text */
const wordsOf = (text) => new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(singular));

/**
 * The entries that contain every word of a query. Entries whose label contains all words come first, then entries whose
 * label contains some of them.
 * @param {readonly Entry[]} entries
 * @param {string} query
 */
export function search(entries, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const [first] = words;
  if (first === undefined) return [];
  const whole = words.join(' ');
  const meant = [...wordsOf(query)];
  /** @param {Entry} entry */
  const rank = ({ label, words: named, text, isField }) => {
    const name = label.toLowerCase();
    // A field of an operation ranks below an operation with the same name.
    if (words.every((word) => named.includes(word) || named.includes(singular(word))))
      return isField ? 3.5 : name === whole ? 0 : name.startsWith(first) ? 1 : name.includes(first) ? 2 : 3;
    if (meant.length === 0 || !meant.every((word) => text.has(word))) return Infinity;
    const title = wordsOf(label);
    return meant.some((word) => title.has(word)) ? 4 : 5;
  };
  return entries
    .map((entry) => ({ entry, place: rank(entry) }))
    .filter(({ place }) => place < Infinity)
    .sort((a, b) => a.place - b.place)
    .slice(0, MOST)
    .map(({ entry }) => entry);
}

/**
 * The page search: `/` focuses it, arrow keys select, Enter opens the result.
 * @param {HTMLElement} page
 * @param {() => void} onLeave runs after a selection
 */
export function openFind(page, onLeave) {
  const input = /** @type {HTMLInputElement} */ (page.querySelector('#find'));
  const list = /** @type {HTMLElement} */ (page.querySelector('#found'));
  const nothing = /** @type {HTMLElement} */ (page.querySelector('#nothing-found'));
  /** @type {Entry[] | undefined} */
  let entries;
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

  function find() {
    entries ??= entriesOf(page);
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
    // Moves the keyboard focus to the target. The browser itself moves the focus last, at `hashchange`.
    addEventListener('hashchange', focusTarget, { once: true });
    if (location.hash === entry.href) focusTarget();
    location.assign(entry.href);
  }

  function focusTarget() {
    const heading = document.querySelector(':target :is(h2, h3) a');
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
function optionOf({ label, note }, place) {
  const option = document.createElement('li');
  option.role = 'option';
  option.id = `found-${place}`;
  const name = document.createElement('span');
  name.textContent = label;
  const small = document.createElement('span');
  small.className = 'soft';
  small.textContent = note;
  option.append(name, ' ', small);
  return option;
}
