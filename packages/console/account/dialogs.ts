import { serviceNow } from '../../pages/clock.ts';
import { graceField } from '../../pages/components/asked-field.tsx';
import type { AccountStore } from './store.ts';
import { deletionInWords, oldKeyInWords, renewalInWords, replacementInWords } from './texts.ts';

/* The dialogs that change the account. */

export const askForRenewal = ({ questions, session, user, onRenewed }: AccountStore) =>
  questions.ask({
    texts: ['Renew the key?', 'Renew', 'Renewing…'],
    effect: () => user.value && renewalInWords(user.value, serviceNow()),
    async act() {
      session.continueAs(await session.client.renew());
      onRenewed();
    },
  });

export const askForReplacement = ({ questions, session, user, onKeyReplaced }: AccountStore) =>
  questions.ask({
    texts: ['Replace the key?', 'Replace', 'Replacing…'],
    fields: [graceField('The old key stops working')],
    effect: (values) => user.value && replacementInWords(user.value, Number(values('grace')), serviceNow()),
    async act(values) {
      const graceSeconds = Number(values('grace'));
      session.continueAs(await session.client.rotate({ graceSeconds }));
      onKeyReplaced(oldKeyInWords(graceSeconds, serviceNow()));
    },
  });

export const askForDeletion = ({ questions, session, usage, onSignedOut }: AccountStore) =>
  questions.ask({
    texts: ['Delete the account?', 'Delete permanently', 'Deleting…'],
    effect: () => deletionInWords(usage(), serviceNow()),
    isDangerous: true,
    async act() {
      await session.client.deleteUser();
      onSignedOut('Your account and its keys have been deleted.');
    },
  });
