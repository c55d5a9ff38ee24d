import * as t from 'io-ts';
import type { Foreseen } from '../../application/foresee.js';
import { nullable } from '../../domain/shared/nullable.js';
import type { Json } from '../../event-sourcing/canonical-json.js';
import { diff } from '../../read/diff.js';
import type { Comparison } from '../../read/event-diffs.js';
import { explain, named, unionOf } from '../fields/json-schema.js';
import { EventChangeResponse } from '../openapi/event-schemas.js';
import { count } from '../openapi/response-schemas.js';
import { tagOfExpected } from '../request/entity-tags.js';
import { type HttpResponse, ok } from '../response/http-response.js';

/** What of a record was another value at the revision, and stays as it is. */
export type Stays = { readonly path: string; readonly why: string; readonly before: Json; readonly after: Json };

const ChangePreview = named(
  'ChangePreview',
  explain(
    {
      '': 'What a revert or a restore would do now. Its ETag is for the If-Match of the request that does it.',
      revision: 'The revision whose values would come back; null of a restore.',
      current: 'The revision that the record is at.',
      changes: 'What of the record would change; none: nothing would be done.',
      notReverted: 'What of the record was another value then, and would stay as it is.',
      path: 'Where it is in the record: a JSON Pointer (RFC 6901).',
      why: 'Why it would stay.',
      before: 'The value now.',
      after: 'The value then.',
    },
    t.type({
      revision: nullable(count),
      current: count,
      changes: t.array(EventChangeResponse),
      notReverted: t.array(t.type({ path: t.string, why: t.string, before: t.unknown, after: t.unknown })),
    }),
  ),
);

/** What is answered: the record, or what would become of it. */
export const recordOrPreview = (record: t.Mixed): t.Mixed => unionOf([record, ChangePreview]);

/** The preview of a command that goes back to `revision`; null: it is a restore. */
export const previewResponse = <State>(
  id: string,
  { before, after, revision: current }: Foreseen<State>,
  { recordOf, identifiedBy }: Comparison<State>,
  revision: number | null,
  notReverted: ReadonlyArray<Stays>,
): HttpResponse => {
  const changes = diff(recordOf(id, before), recordOf(id, after), identifiedBy);
  const tag = tagOfExpected(current);
  const body = JSON.stringify({ revision, current: Number(current), changes, notReverted });
  return ok(body, ...(tag === undefined ? [] : ['ETag', tag]));
};
