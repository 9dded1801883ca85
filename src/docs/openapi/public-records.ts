import { z } from 'zod';
import * as docs from '#docs/docs-records';
import * as keys from '#keys/keys-records';
import * as webhooks from '#notifications/channels/webhook/webhook-records';
import * as notifications from '#notifications/notifications-records';
import * as operator from '#operator/announcements/announcement-records';
import * as latest from '#prices/latest/latest-records';
import * as prices from '#prices/model/prices-records';
import * as stream from '#prices/stream/stream-records';
import * as requests from '#requests/requests-records';
import * as statistics from '#statistics/statistics-records';
import * as userRecords from '#users/users-records';

const { userExport, registrationPending, ...users } = userRecords;

/** The modules in the order of their schemas in the OpenAPI document. The schemas of the node follow. */
const MODULES = [
  users,
  keys,
  { userExport, registrationPending },
  requests,
  notifications,
  webhooks,
  prices,
  docs,
  statistics,
  latest,
  stream,
  operator,
];

export const idsOf = (module: object): string[] =>
  Object.values(module).flatMap((value) => (value instanceof z.ZodType && value.meta()?.id) || []);

export const RECORD_NAMES = MODULES.flatMap(idsOf);
const places = new Map(MODULES.flatMap((module, place) => idsOf(module).map((id) => [id, place])));

/** Sorts named schemas by module. The order within a module does not change. */
export const byPlace = ([name]: [name: string, schema: unknown], [other]: [name: string, schema: unknown]) =>
  (places.get(name) ?? MODULES.length) - (places.get(other) ?? MODULES.length);
