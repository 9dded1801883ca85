import type { ApiKey } from '../../client/index.ts';
import { buttonGroup, byId, copyButton, make, makeButton } from '../../pages/dom.ts';
import { nameOf } from './key-texts.ts';
import {
  FORMATS,
  type Format,
  noteFor,
  PLACEHOLDER,
  PURPOSE_TITLES,
  type Purpose,
  purposeCode,
  purposesOf,
} from './purpose-code.ts';

type Terms = Pick<ApiKey, 'scopes' | 'allowedOrigins' | 'url'>;

const makeGroup = (legend: string) =>
  make('fieldset', { class: 'button-group' }, make('legend', { class: 'unseen' }, legend));

/** Shows code for each purpose of a key. */
export function openKeyGuide(host: HTMLElement, baseUrl: string, onCopied: () => void = () => undefined) {
  const [purposeGroup, formatGroup] = [makeGroup('Purpose'), makeGroup('Format')];
  const code = make('code');
  const note = make('span', { class: 'soft' });
  const copy = makeButton('Copy code', () => undefined, 'small');
  copyButton(copy, { shown: code, onCopied });
  const frame = make('pre', { class: 'code', tabindex: '0' }, code);
  host.append(
    make('div', { class: 'controls' }, purposeGroup, formatGroup),
    frame,
    make('div', { class: 'foot' }, copy, note),
  );
  let shown: { key: Terms; apiKey: string } | undefined;
  let purpose: Purpose = 'server';
  let format: Format = 'curl';

  function update(): void {
    if (!shown) return;
    const { key, apiKey } = shown;
    const offeredFormats = FORMATS[purpose].map(([one]) => one);
    if (!offeredFormats.includes(format)) format = offeredFormats[0] as Format;
    purposes.offer((one) => purposesOf(key).includes(one));
    purposes.select(purpose);
    languages.offer((one) => offeredFormats.includes(one));
    languages.select(format);
    formatGroup.hidden = offeredFormats.length === 1;
    code.textContent = purposeCode(format, key, baseUrl.replace(/\/$/, ''), apiKey);
    note.textContent = noteFor(purpose, key);
  }
  const purposes = buttonGroup(purposeGroup, PURPOSE_TITLES, (selected) => {
    purpose = selected;
    update();
  });
  const languages = buttonGroup(formatGroup, Object.values(FORMATS).flat(), (selected) => {
    format = selected;
    update();
  });

  return {
    /** Without `apiKey`, the code contains a placeholder. */
    show(key: Terms, apiKey = PLACEHOLDER): void {
      shown = { key, apiKey };
      purpose = purposesOf(key)[0] ?? 'server';
      update();
    },
    clear(): void {
      shown = undefined;
      code.textContent = '';
    },
  };
}

/** Shows code for a listed key, without the key itself. */
export function openKeyGuideDialog(baseUrl: string): (key: ApiKey) => void {
  const dialog = byId('key-guide-dialog', HTMLDialogElement);
  const guide = openKeyGuide(byId('key-guide'), baseUrl);
  byId('key-guide-close').addEventListener('click', () => dialog.close());

  return (key) => {
    byId('key-guide-title').textContent = `Code for ${nameOf(key)}`;
    guide.show(key);
    dialog.showModal();
  };
}
