import { either as E } from 'fp-ts';
import { fields } from '../fields/fields-type.js';
import { text } from '../fields/text.js';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';
import { decodeRequest } from '../request/decode.js';

/** Where a request may name the owner. The body may be anything: a proxy or a client may have lost it. */
type OwnerIdSources = {
  readonly path: string | undefined;
  readonly searchParams: URLSearchParams;
  readonly body: unknown;
};

export const OwnerIdBody = fields({ ownerId: text() });

const invalid = (message: string): E.Either<RequestInvalid, never> =>
  E.left(requestInvalid({ path: 'ownerId', message }));

const fromBody = (body: unknown): E.Either<RequestInvalid, string | null | undefined> => {
  const isForeign = typeof body !== 'object' || body === null || Array.isArray(body);
  return isForeign
    ? E.right(undefined)
    : E.map(({ ownerId }: { ownerId?: string | null }) => ownerId)(decodeRequest(OwnerIdBody)(body));
};

/** The one owner that path, query and body agree on. */
export const readOwnerId = ({ path, searchParams, body }: OwnerIdSources): E.Either<RequestInvalid, string> => {
  const inBody = fromBody(body);
  if (E.isLeft(inBody)) return inBody;
  const given = [path, ...searchParams.getAll('ownerId'), inBody.right].filter(
    (id): id is string => id !== undefined && id !== null && id !== '',
  );
  const [ownerId, ...others] = new Set(given);
  if (ownerId === undefined) return invalid('is required');
  return others.length === 0 ? E.right(ownerId) : invalid('must be the same wherever it is given');
};
