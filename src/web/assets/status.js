// The status page refreshes while it is visible.

const LOOK_EVERY = 30_000;
const PATIENCE = 10_000;

/** @param {string} id */
const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * Replaces a part of the page if it has changed. Screen readers do not repeat unchanged parts.
 * @param {string} id @param {Document} page
 */
function replace(id, page) {
  const next = page.getElementById(id);
  if (!next) throw new Error('the response is not a status page');
  if (next.outerHTML !== part(id).outerHTML) {
    part(id).className = next.className;
    part(id).replaceChildren(...next.childNodes);
  }
}

/** While the service does not respond, the page keeps its content and time. */
function showAway() {
  const state = part('state');
  if (state.classList.contains('away')) return;
  state.className = 'state bad away';
  const sign = document.createElement('span');
  const text = document.createElement('p');
  sign.className = 'sign';
  sign.ariaHidden = 'true';
  sign.textContent = '✕';
  const title = document.createElement('strong');
  title.textContent = 'Unreachable';
  text.append(title, ' This page cannot reach the service. The page will keep trying.');
  state.replaceChildren(sign, text);
}

async function look() {
  if (document.hidden) return;
  try {
    const response = await fetch(location.href, {
      headers: { accept: 'text/html' },
      signal: AbortSignal.timeout(PATIENCE),
    });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    for (const id of ['state', 'announcement', 'warnings', 'components', 'incidents', 'looked-at']) replace(id, page);
    document.title = page.title;
  } catch {
    showAway();
  }
}

setInterval(look, LOOK_EVERY);
document.addEventListener('visibilitychange', look);
