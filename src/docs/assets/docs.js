// The docs page is readable without this script, which adds search and forms.
import { openFind } from './find.js';
import { openKey } from './key.js';
import { openNavigation } from './navigation.js';
import { openSamples } from './samples.js';
import { openForms } from './try-it.js';

const page = document.querySelector('.docs');
if (page instanceof HTMLElement) {
  const { exampleOrigin = '', basePath = '/' } = page.dataset;
  const key = openKey(basePath);
  const samples = openSamples(page, exampleOrigin, key);
  openForms(page, key, samples);
  const navigation = openNavigation(page);
  openFind(page, navigation.close);
}
