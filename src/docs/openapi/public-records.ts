import { z } from 'zod';
import * as accounts from '#accounts/records';
import * as requests from '#accounts/requests/records';
import * as docs from '#docs/records';
import * as notifications from '#notifications/records';
import * as operator from '#operator/public-records';
import * as latest from '#prices/latest/records';
import * as prices from '#prices/model/records';
import * as stream from '#prices/stream/records';
import * as statistics from '#statistics/records';

/** In the order of their schemas in the OpenAPI document. The node's schemas follow. */
const MODULES = [accounts, requests, notifications, prices, docs, statistics, latest, stream, operator];

/** The names of a module's schemas. */
export const idsOf = (module: object): string[] =>
  Object.values(module).flatMap((value) => (value instanceof z.ZodType && value.meta()?.id) || []);

export const RECORD_NAMES = MODULES.flatMap(idsOf);
const places = new Map(MODULES.flatMap((module, place) => idsOf(module).map((id) => [id, place])));

/** Sorts named schemas by module. The order within a module does not change. */
export const byPlace = ([one]: [name: string, schema: unknown], [other]: [name: string, schema: unknown]) =>
  (places.get(one) ?? MODULES.length) - (places.get(other) ?? MODULES.length);
