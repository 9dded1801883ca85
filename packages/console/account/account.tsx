import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { serviceNow } from '../../pages/clock.ts';
import { Check } from '../../pages/components/choices.tsx';
import { Figures, Isolated, Meter, Panel, Time } from '../../pages/components/figures.tsx';
import { Form } from '../../pages/components/form.tsx';
import { Head } from '../../pages/components/head.tsx';
import { count, fromNow, onDateAt } from '../../pages/format.ts';
import { Age } from '../core/age.tsx';
import { PanelProblem } from '../core/failures.tsx';
import { LEVEL_WORDS, levelOf } from './allowance.ts';
import { askForDeletion, askForRenewal, askForReplacement } from './dialogs.ts';
import type { AccountStore } from './store.ts';
import { expiryInWords } from './validity.ts';

type Props = { store: AccountStore };

function Left({ store }: Props) {
  const left = store.left();
  const usage = store.usage();
  if (!left) return <p class="soft">{store.isLoading.value ? 'Loading…' : ''}</p>;
  const { remaining, limit } = left;
  const level = levelOf(remaining, limit);
  // In the last period, the expiry is stated below.
  const reset =
    usage && usage.resetsAt < usage.validUntil
      ? `Resets ${fromNow(usage.resetsAt, serviceNow())}, on ${onDateAt(usage.resetsAt)}.`
      : '';
  return (
    <div class="allowance" data-level={level}>
      <p class="left">
        <span class="big">{count(remaining)}</span> <span class="soft">calls left{LEVEL_WORDS[level]}</span>
      </p>
      <Meter label="Used calls" value={limit - remaining} max={limit} />
      <p class="soft">
        {count(limit - remaining)} of {count(limit)} used. {reset}
      </p>
    </div>
  );
}

/** When the key expires, and its renewal, which is possible in the last period. */
function Validity({ store }: Props) {
  const id = useId();
  const { access, validUntil, renewal } = store;
  const { value: ends } = validUntil;
  if (!ends) return null;
  const isRestricted = access.value === 'none';
  const { isPossible, from } = renewal();
  const words = [expiryInWords(ends, serviceNow())];
  if (isRestricted) words.push('Only the owner key can renew the account.');
  else if (from) words.push(`The key can be renewed from ${onDateAt(from)}.`);
  return (
    <div class="setting">
      <p id={id}>{words.join(' ')}</p>
      {!isRestricted && (
        <button
          type="button"
          class="small"
          aria-describedby={id}
          aria-disabled={!isPossible || undefined}
          onClick={() => isPossible && askForRenewal(store)}
        >
          Renew key…
        </button>
      )}
    </div>
  );
}

const Allowance = ({ store }: Props) => (
  <Panel title="Plan and allowance" actions={<Age of={store.age.value} />}>
    <div aria-busy={store.isLoading.value}>
      <Left store={store} />
    </div>
    <Validity store={store} />
    <PanelProblem of={store.failure} />
  </Panel>
);

const SIGNED_OUT = 'You are signed out. This browser no longer stores the key.';

function Profile({ store: { user, maskedKey, isRemembered, setRemembered, onSignedOut } }: Props) {
  const { value: shown } = user;
  if (!shown) return null;
  const { name, email, plan, createdAt } = shown;
  return (
    <Panel
      title="Profile"
      actions={
        <button type="button" class="small" onClick={() => onSignedOut(SIGNED_OUT)}>
          Sign out
        </button>
      }
    >
      <Figures
        of={[
          ...(name === null ? [] : [['Name', <Isolated key="name">{name}</Isolated>] as const]),
          ...(email === null ? [] : [['Email', <Isolated key="email">{email}</Isolated>] as const]),
          ['Plan', plan],
          ['Created', <Time key="since" at={createdAt} to="date" />],
          ['Key in use', <code key="key">{maskedKey.value}</code>],
        ]}
      />
      <Check
        name="remember"
        label="Stay signed in on this device"
        hint="If you stay signed in, anyone who uses this browser profile can use the key."
        checked={isRemembered.value}
        onValue={setRemembered}
      />
    </Panel>
  );
}

type SettingProps = { title: string; text: ComponentChildren; children?: ComponentChildren };

const Setting = ({ title, text, children }: SettingProps) => (
  <div class="setting">
    <div>
      <h3>{title}</h3>
      <p class="soft">{text}</p>
    </div>
    {children}
  </div>
);

const RESTRICTED =
  'This key cannot manage the account. To replace it, to export your data or to delete the account, sign in with the owner key.';

const Actions = ({ store, sendsMail }: Props & { sendsMail: boolean }) => (
  <>
    <Panel title="Key and data">
      <Setting
        title="Owner key"
        text="You get a new key. The old key stops working immediately or after a time that you select."
      >
        <button type="button" class="small" onClick={() => askForReplacement(store)}>
          Replace key…
        </button>
      </Setting>
      <Setting
        title="Recovery"
        text={
          sendsMail
            ? 'If you lose the owner key, select “Lost your key?” on the sign-in page. You get a new owner key by email.'
            : 'This service sends no email, so it cannot replace a lost key. Save the key where you keep your passwords.'
        }
      />
      <Setting title="Export" text="A JSON file with all data that the service stores about you, without secrets.">
        <Form button={['Export data', 'Exporting…', 'small']} onSubmit={store.saveData} />
      </Setting>
    </Panel>
    <Panel title="Delete the account" class="danger">
      <div class="setting">
        <p class="soft">All keys stop working, and your name and email address are erased. This cannot be undone.</p>
        <button type="button" class="small danger" onClick={() => askForDeletion(store)}>
          Delete account…
        </button>
      </div>
    </Panel>
  </>
);

/** The page Account: the allowance, the user, and the changes of the account. */
export const Account = ({ store, sendsMail }: Props & { sendsMail: boolean }) => (
  <>
    <Head title="Account" />
    <div class="columns">
      <div class="stack">
        <Allowance store={store} />
        <Profile store={store} />
      </div>
      <div class="stack">
        {store.access.value === 'none' ? (
          <p class="note warn">{RESTRICTED}</p>
        ) : (
          <Actions store={store} sendsMail={sendsMail} />
        )}
      </div>
    </div>
  </>
);
