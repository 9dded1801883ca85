import { z } from 'zod';
import * as accounts from '#accounts/records';
import * as docs from '#docs/records';
import * as notifications from '#notifications/records';
import * as latest from '#prices/latest/records';
import * as prices from '#prices/model/records';
import * as statistics from '#statistics/records';

/** The public records, in the order in which the interface description lists their schemas; those of the node follow. */
const MODULES = [accounts, notifications, prices, docs, statistics, latest];

const idsOf = (module: object): string[] =>
  Object.values(module).flatMap((value) => (value instanceof z.ZodType && value.meta()?.id) || []);

/** The names of their schemas. */
export const RECORD_NAMES = MODULES.flatMap(idsOf);

const places = new Map(MODULES.flatMap((module, place) => idsOf(module).map((id) => [id, place])));

/** Orders named schemas; those of one module stay as they are. */
export const byPlace = ([one]: [name: string, schema: unknown], [other]: [name: string, schema: unknown]) =>
  (places.get(one) ?? MODULES.length) - (places.get(other) ?? MODULES.length);
