// The docs are readable without this script, which adds search and forms.
import { openFind } from './find.js';
import { openKey } from './key.js';
import { openNavigation } from './navigation.js';
import { openSamples } from './samples.js';
import { openForms } from './try-it.js';

const page = document.querySelector('.docs');
if (page instanceof HTMLElement) {
  const { exampleOrigin = '', basePath = '/' } = page.dataset;
  followMoved(basePath);
  const key = openKey(basePath);
  const samples = openSamples(page, exampleOrigin, key);
  openForms(page, key, samples);
  const navigation = openNavigation(page);
  openFind(page, basePath, navigation.close);
  void showAnnouncement(page, basePath).catch(() => undefined);
}

/**
 * Shows the operator's announcement above the text.
 * @param {HTMLElement} page
 * @param {string} basePath
 */
async function showAnnouncement(page, basePath) {
  const response = await fetch(`${basePath}v1/announcement`);
  const { text } = await response.json();
  if (!text) return;
  const place = document.createElement('p');
  place.className = 'announcement';
  place.textContent = text;
  page.querySelector('article')?.prepend(place);
}

/**
 * Opens the page that now contains a section of the former single page at `/docs`.
 * @param {string} basePath
 */
function followMoved(basePath) {
  const { hash, pathname } = location;
  const link = document.getElementById(hash.slice(1))?.querySelector(':scope.moved > a');
  if (link instanceof HTMLAnchorElement) location.replace(link.href);
  else if (/^#(header|parameter)-/.test(hash) && pathname === `${basePath}docs`)
    location.replace(`${basePath}docs/reference${hash}`);
}
