import { useEffect } from 'preact/hooks';
import type { ApiKey, CreatedKey } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import type { Asked } from '../../pages/components/asked-field.tsx';
import { CodeBlock } from '../../pages/components/code.tsx';
import type { Fields } from '../../pages/components/form.tsx';
import { isoDate } from '../../pages/dates.ts';
import { onDateAt } from '../../pages/format.ts';
import { warnBeforeLeaving } from '../api/key-store.ts';
import { KeyGuide } from './guide.tsx';
import type { KeyList } from './store.ts';
import { EXPIRIES, isForUrls, originsIn, PURPOSES, purposeIn, SCOPES } from './terms.ts';
import { PLACEHOLDER } from './uses.ts';
import { adviceFor, corsInWords, isForPages, isOwner, nameOf, validityInWords } from './words.ts';

const purposes = Object.entries(PURPOSES).map(([name, { title, hint }]) => {
  const shown = [
    title,
    <span key={name} class="under soft">
      {hint}
    </span>,
  ];
  return [name, shown] as const;
});
const scopes = Object.entries(SCOPES).map(([scope, { title }]) => [scope, title] as const);

/** The fields of a key, or of a new key, whose first terms depend on its purpose. */
function fieldsOf(key: ApiKey | undefined, values: Fields | undefined): Asked[] {
  const reset = values ? purposeIn(values) : 'program';
  const purpose = PURPOSES[reset];
  const isUrlKey = key ? key.url : purpose.dailyLimit !== null;
  const current = key?.expiresAt ? `on ${onDateAt(key.expiresAt)}` : 'with the account';
  const label = { missing: 'Enter a label.', wrong: 'Enter 1 to 100 characters.', placeholder: 'Web shop' };
  const limit = {
    // The service requires a limit for a URL key.
    isOptional: !isUrlKey,
    missing: 'Enter a daily limit. A key in URLs requires one.',
    wrong: 'Enter a whole number from 1, or nothing.',
    placeholder: isUrlKey ? '' : 'no limit of its own',
    value: (key ?? purpose).dailyLimit ?? undefined,
  };
  const fields: (Asked | false)[] = [
    !key && { kind: 'radio', name: 'purpose', label: 'Use in', options: purposes, value: ['program'] },
    { kind: 'text', name: 'label', label: 'Label', most: 100, value: key?.label ?? '', ...label },
    {
      kind: 'checkbox',
      name: 'scopes',
      label: 'Permissions',
      options: scopes,
      value: (key ?? purpose).scopes,
      missing: 'Choose at least one.',
      reset,
    },
    {
      kind: 'choice',
      name: 'expiry',
      label: 'Expires',
      options: key ? [['keep', `as now, ${current}`], ...EXPIRIES] : EXPIRIES,
      value: key ? 'keep' : 'never',
    },
    values?.('expiry') === 'date' && {
      kind: 'date',
      name: 'expiresAt',
      label: 'Last day (UTC)',
      from: isoDate(serviceNow()),
      wrong: 'Enter a complete date from today on, including the year.',
    },
    { kind: 'number', name: 'dailyLimit', label: 'Calls per UTC day', least: 1, most: 2_147_483_647, reset, ...limit },
    // A program that cannot send headers is not a web page.
    (!isUrlKey || Boolean(key?.allowedOrigins?.length)) && {
      kind: 'text',
      name: 'allowedOrigins',
      label: 'Only for web pages on these origins',
      most: 2800,
      rows: 2,
      placeholder: 'https://shop.example',
      wrong: 'Enter up to 10 origins, each on its own line, such as https://shop.example, without a path.',
      value: (key?.allowedOrigins ?? []).join('\n'),
      isOptional: true,
    },
  ];
  // An owner key has all scopes, expires only with its user, and can be used from everywhere.
  const isOffered = ({ name }: Asked) => !key || !isOwner(key) || name === 'label' || name === 'dailyLimit';
  return fields.filter((field) => field !== false).filter(isOffered);
}

const OWNER = 'The owner key has all permissions, and expires with the account.';
const adviceIn = (fields: Fields, isUrlKey: boolean) =>
  adviceFor({ scopes: fields.all('scopes'), allowedOrigins: originsIn(fields('allowedOrigins')) }, isUrlKey);

/** A new key, with its code. Programs that cannot send headers need the base URL, which contains the key. */
function CreatedKeyView({ of: key, list }: { of: CreatedKey; list: KeyList }) {
  useEffect(() => {
    warnBeforeLeaving(true);
    return () => warnBeforeLeaving(false);
  }, []);
  // Each of the texts contains the key.
  const onCopied = () => warnBeforeLeaving(false);
  const advice = isForPages(key)
    ? `This key is for web pages. ${corsInWords(key)}`
    : 'Save it where you keep your passwords.';
  const terms = { ...key, url: key.url !== null };
  return (
    <>
      <p>This key is shown only once, because the service stores only its hash. {advice}</p>
      <p class="soft">{validityInWords(key.expiresAt, list.session.user?.validUntil)}</p>
      <CodeBlock text={key.url ?? key.apiKey} onCopied={onCopied} />
      <h3>Code with this key</h3>
      <KeyGuide of={terms} apiKey={key.apiKey} baseUrl={list.session.baseUrl} onCopied={onCopied} />
    </>
  );
}

export const askForKey = (list: KeyList) =>
  list.questions.ask({
    texts: ['New key', 'Create key', 'Creating key…'],
    fields: (values) => fieldsOf(undefined, values),
    effect: (fields) => adviceIn(fields, isForUrls(fields)),
    async act(fields, show) {
      const key = await list.create(fields);
      show({ title: 'Your new key', body: <CreatedKeyView of={key} list={list} />, done: 'I have saved it' });
      await list.load();
    },
  });

export const askForChange = (list: KeyList, key: ApiKey) =>
  list.questions.ask({
    texts: [`Change “${nameOf(key)}”`, 'Save', 'Saving…'],
    fields: (values) => fieldsOf(key, values),
    effect: (fields) => (isOwner(key) ? OWNER : adviceIn(fields, key.url)),
    act: (fields) => list.change(key, fields),
  });

export const askForRevocation = (list: KeyList, key: ApiKey) =>
  list.questions.ask({
    texts: [`Revoke “${nameOf(key)}”?`, 'Revoke', 'Revoking…'],
    isDangerous: true,
    effect: () =>
      `Calls with this key are rejected within seconds. This cannot be undone.${list.isInUse(key) ? ' You are signed in with this key. You will be signed out.' : ''}`,
    act: () => list.revoke(key),
  });

export const showCode = (list: KeyList, key: ApiKey) =>
  list.questions.show({
    title: `Code for ${nameOf(key)}`,
    done: 'Close',
    body: (
      <>
        <p class="soft">
          Replace <code>{PLACEHOLDER}</code> with the key. The service stores only the hash of a key, so it cannot show
          the key again.
        </p>
        <KeyGuide of={key} baseUrl={list.session.baseUrl} />
      </>
    ),
  });
