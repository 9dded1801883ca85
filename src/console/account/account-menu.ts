import type { Confirm } from './confirm.ts';
import { byId } from './dom.ts';
import { onDateAt } from './format.ts';
import type { Session } from './session.ts';
import { masked } from './snippets.ts';

type Ways = {
  /** There is another key: it is to be shown. */
  onReplaced: () => void;
  /** The user goes on with a later end. */
  onRenewed: () => void;
  /** Nobody is here any more; `notice` says why. */
  onLeft: (notice: string) => void;
};

/** The menu of whoever is here: the key on this device, a new key, one more period, the end. */
export function openAccount(session: Session, confirm: Confirm, { onReplaced, onRenewed, onLeft }: Ways) {
  const menu = byId('account');
  const remember = byId('menu-remember', HTMLInputElement);

  const askRenewal = () =>
    confirm({
      title: 'Renew for one more period?',
      text: 'The key stays the same. If it has expired, a fresh period begins now; if not, its end moves on by one period, and the running allowance is not refilled.',
      yes: 'Renew',
      async act() {
        session.take(await session.client.renew());
        onRenewed();
      },
    });

  function on(id: string, act: () => void): void {
    byId(id).addEventListener('click', () => {
      menu.hidePopover();
      act();
    });
  }
  on('menu-renew', askRenewal);
  on('menu-rotate', () =>
    confirm({
      title: 'Replace the key?',
      text: 'You get a new key, which is shown once. Plan, validity and usage carry over. Until its time is over the old key can still read, but not manage the account.',
      yes: 'Replace it',
      asksGrace: true,
      async act(graceSeconds) {
        session.take(await session.client.rotate({ graceSeconds }));
        onReplaced();
      },
    }),
  );
  on('menu-delete', () =>
    confirm({
      title: 'Delete the account?',
      text: 'Every key of it is dead at once, on this process, and within seconds on the others. Your name and e-mail are erased. This cannot be undone.',
      yes: 'Delete it for good',
      isGrave: true,
      async act() {
        await session.client.deleteUser();
        session.leave();
        onLeft('The account is deleted, and its key with it.');
      },
    }),
  );
  on('menu-leave', () => {
    session.leave();
    onLeft('Signed out: the key is no longer in this tab, nor on this device.');
  });
  remember.addEventListener('change', () => session.setRemembered(remember.checked));

  return {
    askRenewal,
    show(): void {
      const { user } = session;
      if (!user) return;
      byId('menu-name').textContent = user.name;
      const verb = user.validUntil.getTime() > Date.now() ? 'valid until' : 'expired on';
      byId('menu-plan').textContent = `${user.plan} plan, ${verb} ${onDateAt(user.validUntil)}`;
      byId('menu-key').textContent = masked(session.key);
      remember.checked = session.isRemembered();
    },
  };
}
