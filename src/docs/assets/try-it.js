/** @import { Key } from './key.js' */
/** @import { Samples } from './samples.js' */

/** The maximum length of a displayed response, in characters. Browsers take seconds to lay out megabytes. */
const MAX_SHOWN = 20_000;
/** How long a stream of events is read, in ms, because a stream does not end by itself. */
const STREAM_MS = 5_000;
/** This is long enough for the slowest call, which waits until a transaction is in a block. */
const TIMEOUT_MS = 60_000;

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * The forms that call this service.
 * @param {HTMLElement} page
 * @param {Key} key
 * @param {Samples} samples
 */
export function openForms(page, key, samples) {
  for (const details of page.querySelectorAll('details.try')) {
    details.addEventListener('toggle', () => openForm(details, key, samples), { once: true });
    page.querySelector(`a[href="#${details.id}"]`)?.addEventListener('click', () => details.setAttribute('open', ''));
  }
}

/** @param {Element} details @param {Key} key @param {Samples} samples */
function openForm(details, key, samples) {
  const form = /** @type {HTMLFormElement} */ (details.querySelector('form'));
  const result = /** @type {HTMLElement} */ (form.querySelector('.result'));
  const send = /** @type {HTMLButtonElement} */ (form.querySelector('[type=submit]'));
  const status = make('p', { role: 'status', class: 'answered' });
  const rest = make('div', {});
  result.append(status, rest);
  if ('key' in form.dataset) form.querySelector('.send')?.before(keyField(key));

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (send.getAttribute('aria-disabled') === 'true') return;
    const { question } = form.dataset;
    if (question && !confirm(question)) return;
    send.setAttribute('aria-disabled', 'true');
    status.textContent = 'Sending…';
    rest.replaceChildren();
    const started = performance.now();
    try {
      const response = await fetch(...requestOf(form, key));
      const text = await textOf(response);
      const took = `${((performance.now() - started) / 1000).toFixed(2)} s`;
      const { ok, statusText } = response;
      const words = make('strong', { class: ok ? 'good' : 'bad' }, `${response.status} ${statusText}`.trim());
      status.replaceChildren(words, ` in ${took}. ${chargeOf(response, 'priced' in form.dataset)}`);
      rest.replaceChildren(...shownOf(response, text, samples));
    } catch (error) {
      status.textContent = `No response: ${error instanceof Error ? error.message : error}`;
    }
    send.removeAttribute('aria-disabled');
  });
}

/** Reads a body, or the first seconds of a stream. @param {Response} response */
async function textOf(response) {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!isStream || !response.body) return response.text();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const timer = setTimeout(() => reader.cancel(), STREAM_MS);
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  clearTimeout(timer);
  return text;
}

/** Shows the form's key, and accepts another key. @param {Key} key */
function keyField(key) {
  const input = make('input', {
    ...{ type: 'password', name: '', placeholder: 'qt_…', maxlength: '200', required: '' },
    ...{ autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' },
  });
  const field = make('label', { class: 'field' }, 'API key', input);
  const known = make('span', {});
  const other = make('button', { type: 'button', class: 'small' }, 'Use another key');
  const line = make('p', { class: 'key-line' }, known, ' ', other);
  let isTyping = false;
  const show = () => {
    const isKnown = key.value !== '' && !isTyping;
    line.hidden = !isKnown;
    field.hidden = isKnown;
    input.required = !isKnown;
    known.textContent = `Key: ${key.start}`;
  };
  input.addEventListener('input', () => {
    isTyping = true;
    key.type(input.value.trim());
  });
  other.addEventListener('click', () => {
    isTyping = true;
    show();
    input.focus();
  });
  key.onChange(show);
  show();
  return make('div', { class: 'key-field' }, line, field);
}

/**
 * The request that a filled form describes. The key is sent only in a header.
 * @param {HTMLFormElement} form
 * @param {Key} key
 * @returns {[URL, RequestInit]}
 */
function requestOf(form, key) {
  const operation = /** @type {HTMLElement} */ (form.closest('.operation'));
  const { method = 'GET', path = '' } = operation.dataset;
  let target = path;
  const query = new URLSearchParams();
  /** @type {Record<string, string>} */
  const headers = 'key' in form.dataset && key.value ? { 'X-API-KEY': key.value } : {};
  let body;
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll('[data-in]'))) {
    const { name, value, dataset } = field;
    if (dataset.in === 'body') {
      body = value;
      headers['Content-Type'] = 'application/json';
    } else if (dataset.in === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '') query.append(name, value);
  }
  const url = new URL(target, location.origin);
  url.search = query.toString();
  // Bypasses the browser's cache, so that the response and its headers are current.
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return [url, { method, headers, cache: 'no-store', signal, ...(body !== undefined && { body }) }];
}

/** Whether the call was charged, and the remaining calls. @param {Response} response @param {boolean} isPriced */
function chargeOf({ ok, headers }, isPriced) {
  const [, calls] = /"plan";r=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
  const remaining = calls === undefined ? '' : ` ${Number(calls).toLocaleString('en')} calls remaining.`;
  return `${ok && isPriced ? 'Charged.' : 'Not charged.'}${remaining}`;
}

/** Formats JSON; returns any other text unchanged. @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** @param {Response} response @param {string} text @param {Samples} samples */
function shownOf(response, text, samples) {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  const body = samples.masked(pretty(text));
  const isCut = body.length > MAX_SHOWN;
  const { code } = response.ok ? {} : /** @type {{ code?: unknown }} */ (safeJson(text));
  const page = document.querySelector('.docs');
  const basePath = page instanceof HTMLElement ? page.dataset.basePath : '/';
  return [
    ...(typeof code === 'string' && /^[a-z_]+$/.test(code)
      ? [make('p', {}, 'Remedy: ', make('a', { href: `${basePath}docs/problems#${code}` }, code))]
      : []),
    make(
      'details',
      {},
      make('summary', {}, `Headers (${headers.length})`),
      make('pre', {}, make('code', {}, headers.join('\n'))),
    ),
    ...(body
      ? [
          make(
            'pre',
            { class: 'body', tabindex: '0', role: 'group', 'aria-label': 'Response body' },
            make('code', {}, body.slice(0, MAX_SHOWN)),
          ),
        ]
      : []),
    ...(isCut
      ? [
          make(
            'p',
            { class: 'soft' },
            `The first ${MAX_SHOWN.toLocaleString('en')} of ${body.length.toLocaleString('en')} characters.`,
          ),
        ]
      : []),
  ];
}

/** @param {string} text */
function safeJson(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
