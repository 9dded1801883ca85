import { iso, isoOrNull } from '#core/clock';
import { VERSION } from '#core/version';
import { dayStates } from '#status/incident';
import type { StatusReport } from '#status/open-status';
import { isImpaired } from '#upstream/component';
import { REASON_TEXTS } from './status-components.ts';
import type { Announcement, Status } from './status-page.ts';

type Now = { status: Status; report: StatusReport; announcement?: Announcement | undefined };

export function statusRecord({ status, report, announcement }: Now, at: number) {
  const { components, incidents } = report;
  const serving =
    components.some(isImpaired) || ('warnings' in status && status.warnings.length > 0) ? 'degraded' : 'operational';
  return {
    state: 'problem' in status ? 'down' : serving,
    checkedAt: iso(at),
    version: VERSION,
    announcement: announcement ? { text: announcement.text, until: iso(announcement.until) } : null,
    components: components.map(({ name, title, state, reason, dataAt }) => ({
      name,
      title,
      state,
      reason: reason ?? null,
      dataAt: isoOrNull(dataAt ?? null),
      days: dayStates(name, report, at),
    })),
    incidents: incidents.map(({ component, state, reason, startedAt, endedAt }) => ({
      component,
      state,
      reason,
      description: REASON_TEXTS[reason] ?? null,
      startedAt: iso(startedAt),
      endedAt: isoOrNull(endedAt),
    })),
  };
}
