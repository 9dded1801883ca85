/** @import { Key } from './key.js' */
/** @typedef {ReturnType<typeof openSamples>} Samples */

/** Placeholder for the key. */
const EXAMPLE_KEY = 'qt_your_key';

/**
 * Shows the samples with this service's origin, in the selected language, with a copy button. On request, includes the
 * reader's key.
 * @param {HTMLElement} page
 * @param {string} exampleOrigin
 * @param {Key} key
 */
export function openSamples(page, exampleOrigin, key) {
  const samples = [...page.querySelectorAll('pre code')];
  // The origin and the key are never in more than one part of the highlighted code.
  const parts = samples.flatMap(textsIn).map((node) => ({
    node,
    text: node.data.replaceAll(exampleOrigin, location.origin),
  }));
  const keyButtons = [...page.querySelectorAll('.languages')].map(addChoices);
  let isShown = false;

  function show() {
    const { value } = key;
    if (!value) isShown = false;
    for (const { node, text } of parts) {
      const next = isShown ? text.replaceAll(EXAMPLE_KEY, value) : text;
      if (node.data !== next) node.data = next;
    }
    for (const button of keyButtons) {
      button.toggleAttribute('hidden', !value);
      button.setAttribute('aria-pressed', String(isShown));
    }
  }

  /** @param {string} language */
  function speak(language) {
    page.dataset.language = language;
    for (const button of page.querySelectorAll('button[data-language]'))
      button.setAttribute('aria-pressed', String(button.getAttribute('data-language') === language));
  }

  page.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return;
    const { language } = target.dataset;
    // The heights of other operations' samples also change, so the page is scrolled to keep the clicked element in
    // place.
    const { top } = target.getBoundingClientRect();
    if (language) {
      speak(language);
    } else if (target.matches('.show-key')) {
      isShown = !isShown;
      show();
    } else {
      return;
    }
    scrollBy({ top: target.getBoundingClientRect().top - top, behavior: 'instant' });
  });
  key.onChange(show);
  show();
  if (navigator.clipboard) for (const code of samples) addCopyButton(code);

  return {
    /** Masks the reader's key in a text, unless the key is visible. @param {string} text */
    masked: (text) => (isShown || !key.value ? text : text.replaceAll(key.value, key.start)),
  };
}

/** The text nodes of an element. @param {Element} element */
function textsIn(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(/** @type {Text} */ (walker.currentNode));
  return nodes;
}

/** Adds controls that select the language of the samples and show the key in them. @param {Element} place */
function addChoices(place) {
  const group = document.createElement('div');
  group.className = 'button-group';
  group.role = 'group';
  group.ariaLabel = 'Language of the samples';
  const samples = place.parentElement?.querySelectorAll('.sample') ?? [];
  for (const { dataset } of /** @type {NodeListOf<HTMLElement>} */ (samples)) {
    const button = addButton(group, dataset.label ?? '');
    button.dataset.language = dataset.language;
    button.ariaPressed = String(dataset.language === 'curl');
  }
  place.append(group);
  return addButton(place, 'Show key', 'small show-key');
}

/** @param {Element} place @param {string} label @param {string} [kind] */
function addButton(place, label, kind = '') {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = kind;
  button.textContent = label;
  place.append(button);
  return button;
}

/** @param {Element} code */
function addCopyButton(code) {
  const box = document.createElement('div');
  box.className = 'copied';
  const block = code.parentElement;
  block?.replaceWith(box);
  if (block) box.append(block);
  const button = addButton(box, 'Copy', 'small copy');
  const reset = () => {
    button.textContent = 'Copy';
  };
  new MutationObserver(reset).observe(code, { childList: true, characterData: true, subtree: true });
  button.addEventListener('click', async () => {
    const copied = await navigator.clipboard.writeText(code.textContent ?? '').then(
      () => true,
      () => false,
    );
    button.textContent = copied ? 'Copied' : 'Not copied';
    announce(copied ? 'Copied' : 'Not copied. Select the text and copy it manually.');
  });
  button.addEventListener('blur', reset);
}

/** Announces to screen readers. @param {string} text */
export function announce(text) {
  const announcements = document.getElementById('announcements');
  if (announcements) announcements.textContent = text;
}
