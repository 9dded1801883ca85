import type {
  ApiKey,
  CreatedKey,
  RegistrationPending,
  Usage,
  User,
  UserOfKey,
} from '../generated/records.ts';
import { instant, orNull, type Wire } from './wire.ts';

/* Records of the account as they arrive: times become `Date`. Another shape throws some error. */

const times = (wire: Wire<Pick<User, 'createdAt' | 'validUntil' | 'updatedAt'>>) => ({
  createdAt: instant(wire.createdAt),
  validUntil: instant(wire.validUntil),
  updatedAt: instant(wire.updatedAt),
});

export const toUser = (wire: Wire<User>): User => ({ ...wire, ...times(wire) });
export const toUserOfKey = (wire: Wire<UserOfKey>): UserOfKey => ({ ...wire, ...times(wire) });

export const toPendingRegistration = (wire: Wire<RegistrationPending>): RegistrationPending => ({
  ...wire,
  expiresAt: instant(wire.expiresAt),
});

export const toUsage = (wire: Wire<Usage>): Usage => ({
  ...wire,
  periodStart: instant(wire.periodStart),
  resetsAt: instant(wire.resetsAt),
  validUntil: instant(wire.validUntil),
});

export const toCreatedKey = (wire: Wire<CreatedKey>): CreatedKey => ({
  ...wire,
  createdAt: instant(wire.createdAt),
  expiresAt: orNull(wire.expiresAt),
});

export const toApiKeys = (wire: Wire<ApiKey>[]): ApiKey[] =>
  wire.map((key) => ({
    ...key,
    createdAt: instant(key.createdAt),
    lastUsedAt: orNull(key.lastUsedAt),
    expiresAt: orNull(key.expiresAt),
    replacedAt: orNull(key.replacedAt),
  }));
