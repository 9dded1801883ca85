import type { Usage } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { byId } from '../../pages/dom.ts';
import { count, onDateAt } from '../../pages/format.ts';
import { type Ask, graceField } from '../../pages/question.ts';
import { masked } from '../api/answer-text.ts';
import type { Session } from '../api/session.ts';
import type { Renewal } from './validity.ts';

type Options = {
  usage: () => Usage | undefined;
  renewal: () => Renewal;
  onKeyReplaced: () => void;
  onRenewed: () => void;
  onSignedOut: (notice: string) => void;
};

/** Shown instead of the user's name, which a key without the `account` scope cannot read. */
const UNNAMED = 'Account';

export function openAccountMenu(
  session: Session,
  ask: Ask,
  { usage, renewal, onKeyReplaced, onRenewed, onSignedOut }: Options,
) {
  const menu = byId('account-menu');
  const remember = byId('menu-remember', HTMLInputElement);

  const renew = byId('menu-renew');
  const validUntil = () => (session.user ? onDateAt(session.user.validUntil) : '');

  function renewalInWords(): string {
    const { user } = session;
    if (!user) return '';
    if (user.validUntil.getTime() <= serviceNow()) {
      return `Your key expired on ${validUntil()}. The renewal starts a new period with ${count(user.limit)} calls. The key stays the same.`;
    }
    return `Your key is valid until ${validUntil()}. The renewal adds one more period. The key and your remaining calls stay the same.`;
  }

  function deletionInWords(): string {
    const currentUsage = usage();
    const loss =
      currentUsage && currentUsage.remaining > 0 && currentUsage.validUntil.getTime() > serviceNow()
        ? ` You lose your ${count(currentUsage.remaining)} remaining calls of the period that ends on ${onDateAt(currentUsage.resetsAt)}.`
        : '';
    return `All keys of the account stop working within seconds, and your name and email address are erased.${loss} This cannot be undone.`;
  }

  function replacementInWords(graceSeconds: number): string {
    const end = onDateAt(new Date(serviceNow() + graceSeconds * 1000));
    const old =
      graceSeconds > 0
        ? `Until ${end} (UTC), the old key can read data but cannot manage the account.`
        : 'The old key stops working immediately.';
    return `You get a new key. The new key is shown only once and is valid until ${validUntil()}. Your usage stays the same, and your other keys stay valid. ${old}`;
  }

  const confirmRenewal = () =>
    ask({
      texts: ['Renew the key?', 'Renew', 'Renewing…'],
      effect: renewalInWords,
      async act() {
        session.continueAs(await session.client.renew());
        onRenewed();
      },
    });

  function onClick(id: string, act: () => void): void {
    byId(id).addEventListener('click', () => {
      menu.hidePopover();
      act();
    });
  }
  for (const button of [renew, byId('renew')]) {
    button.addEventListener('click', () => {
      if (!renewal().isPossible) return;
      menu.hidePopover();
      confirmRenewal();
    });
  }
  const confirmReplacement = () =>
    ask({
      texts: ['Replace the key?', 'Replace', 'Replacing…'],
      fields: [graceField('The old key stops working')],
      effect: (values) => replacementInWords(Number(values('grace'))),
      async act(values) {
        session.continueAs(await session.client.rotate({ graceSeconds: Number(values('grace')) }));
        onKeyReplaced();
      },
    });
  onClick('menu-replace', confirmReplacement);
  onClick('menu-delete', () =>
    ask({
      texts: ['Delete the account?', 'Delete permanently', 'Deleting…'],
      effect: deletionInWords,
      isDangerous: true,
      async act() {
        await session.client.deleteUser();
        onSignedOut('Your account and its keys have been deleted.');
      },
    }),
  );
  onClick('menu-sign-out', () => onSignedOut('You are signed out. This browser no longer stores the key.'));
  remember.addEventListener('change', () => session.setRemembered(remember.checked));

  return {
    confirmRenewal,
    confirmReplacement,

    restrict(isRestricted: boolean): void {
      for (const id of ['menu-replace', 'menu-renew', 'menu-renew-from', 'menu-delete']) {
        byId(id).hidden = isRestricted;
      }
    },

    show(): void {
      const { user } = session;
      if (!user) return;
      for (const id of ['menu-name', 'account-name']) byId(id).textContent = user.name ?? UNNAMED;
      const verb = user.validUntil.getTime() > serviceNow() ? 'valid until' : 'expired on';
      byId('menu-plan').textContent = `${user.plan} plan, ${verb} ${validUntil()}`;
      const { isPossible, from } = renewal();
      renew.setAttribute('aria-disabled', String(!isPossible));
      byId('menu-renew-from').textContent = from ? `Can be renewed from ${onDateAt(from)}` : '';
      byId('menu-key').textContent = masked(session.key);
      remember.checked = session.isRemembered();
    },
  };
}
