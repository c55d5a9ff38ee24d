import type { Clock } from '../event-sourcing/clock.js';
import { isUuid } from '../event-sourcing/uuid.js';
import type { Read } from '../read/access/access-record.js';
import type { ReadWriter } from '../read/access/read-writer.js';
import { whatWasAsked } from '../read/access/what-was-asked.js';
import type { KoaContext } from './request-context.js';
import type { HttpResponse } from './response/http-response.js';

export type RecordRead = ReadWriter['write'];

const FORMS: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
};

const formOf = ({ status, live, contentType = 'application/json' }: HttpResponse): string => {
  if (live !== undefined) return 'feed';
  return status === 206 ? 'range' : (FORMS[contentType.split(';')[0] ?? ''] ?? '');
};

/** What is recorded of an answered request; undefined of one whose answer hands nothing out: a refusal, a 304, to HEAD. */
export const readOf = (
  { date }: Pick<Clock, 'date'>,
  { req, state }: KoaContext,
  response: HttpResponse,
): Read | undefined => {
  const { recorded, caller, operation = '', record, requestId } = state;
  const isGiven = (response.status === 200 || response.status === 206) && req.method !== 'HEAD';
  if (recorded === undefined || caller === undefined || !isGiven) return undefined;
  const { entityType, form, known, values } = recorded;
  const isOfOne = entityType !== undefined && record !== undefined && isUuid(record);
  return {
    at: date(),
    user: caller.subject,
    operation,
    ...(isOfOne ? { record: { entityType, entity: record } } : {}),
    what: whatWasAsked(Object.entries(values).filter(([name]) => known.includes(name))),
    form: response.status === 200 && form !== undefined ? form : formOf(response),
    requestId,
  };
};
