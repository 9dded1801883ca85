import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { QuotientError } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { Check } from '../../pages/components/choices.tsx';
import { CodeBlock } from '../../pages/components/code.tsx';
import { Form } from '../../pages/components/form.tsx';
import { Problem } from '../../pages/components/states.tsx';
import { expiryInWords } from '../account/validity.ts';
import { PanelProblem } from '../core/failures.tsx';
import { view } from '../core/store.ts';
import { type Entrance, MAIL_LINKS, type MailLink } from './store.ts';
import { Card, REMEMBER_RISK, Welcome } from './welcome.tsx';

type Props = { entrance: Entrance };

const View = (props: { title: string; children: ComponentChildren }) => (
  <Card {...props} level={1} class="key-created" />
);

/** The new owner key, until the user confirms that it is saved. */
function NewKey({ entrance: { newKey, setRemembered, setSaved, keepKey } }: Props) {
  if (!newKey.value) return null;
  const { apiKey, validUntil, isRemembered, oldKey } = newKey.value;
  return (
    <View title={oldKey === undefined ? 'Your API key' : 'Your new key'}>
      <p>
        Save this key where you keep your passwords. The service stores only the hash of the key. After you sign out,
        the key cannot be shown again. {oldKey}
      </p>
      <CodeBlock text={apiKey} onCopied={setSaved} />
      <p>
        {expiryInWords(validUntil, serviceNow())} Renew the key in the console or with <code>POST /v1/user/renew</code>.
        The key stays the same.{' '}
        <a href="docs/plans#expiry-and-renewal" target="_blank" rel="noopener">
          How to renew
        </a>
      </p>
      <Check
        name="remember"
        label="Stay signed in on this device"
        hint={REMEMBER_RISK}
        checked={isRemembered}
        onValue={setRemembered}
      />
      <div class="row end">
        <button type="button" class="primary" onClick={keepKey}>
          I have saved it, continue
        </button>
      </div>
    </View>
  );
}

/** An emailed link. Email scanners open links, so the one-time code is used only after a click. */
function Link({ of: link, entrance: { events, useLink } }: Props & { of: MailLink }) {
  const { title, text, action } = MAIL_LINKS[link.purpose];
  const error = useSignal<QuotientError | undefined>(undefined);
  const leave = (
    <button type="button" onClick={events.onLinkLeft}>
      Not now
    </button>
  );
  return (
    <View title={title}>
      <p>{text}</p>
      {/* The one-time code cannot be used again. */}
      {error.value?.code === 'token_invalid' ? (
        <div class="problem" role="alert">
          <Problem error={error.value}>{leave}</Problem>
        </div>
      ) : (
        <Form
          class="shown-once"
          button={[action, 'One moment…']}
          before={leave}
          error={error}
          onSubmit={() => useLink(link)}
        />
      )}
    </View>
  );
}

const Resume = ({ entrance: { resumeFailure, events } }: Props) => (
  <View title="Signing you in">
    <PanelProblem of={resumeFailure} />
    <div class="row end">
      <button type="button" onClick={events.onOtherKey}>
        Use another key
      </button>
    </div>
  </View>
);

/** The views before the pages of the account. */
export function EntranceViews({ entrance }: Props) {
  const { value: name } = view;
  const { value: link } = entrance.link;
  return (
    <>
      {name === 'welcome' && <Welcome entrance={entrance} />}
      {name === 'key-created' && <NewKey entrance={entrance} />}
      {name === 'mail-link' && link && <Link key={link.code} of={link} entrance={entrance} />}
      {name === 'resume' && <Resume entrance={entrance} />}
    </>
  );
}
