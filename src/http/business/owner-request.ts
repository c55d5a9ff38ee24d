import { either as E } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type { UpdateOwner } from '../../domain/business/commands.js';
import type { Owner } from '../../domain/business/events.js';
import { isJsonObject } from '../../event-sourcing/canonical-json.js';
import { fields } from '../fields/fields-type.js';
import { Share } from '../fields/amount.js';
import { explain, named } from '../fields/json-schema.js';
import { requiredText, text } from '../fields/text.js';
import { type QueryValues, valuesOf } from '../parameters/query.js';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';
import { decodeRequest } from '../request/decode.js';
import { ownerMeanings } from './meanings.js';

export const AddOwnerBody = named(
  'NewOwner',
  explain(
    { ...ownerMeanings, '': 'An owner to be added.' },
    fields({ user: requiredText(), title: text(), equity: Share }, { required: ['user'] }),
  ),
);

const ownerIdMeaning = 'The user of the owner, where the path or the query does not name it.';

export const UpdateOwnerBody = named(
  'OwnerChanges',
  explain(
    {
      ...ownerMeanings,
      '': 'What is to change of an owner: null clears, what is absent stays.',
      user: 'As ownerId: an owner cannot become another user.',
      ownerId: ownerIdMeaning,
    },
    fields({ ownerId: text(), user: requiredText(), title: text(), equity: Share }),
  ),
);

export const OwnerIdBody = named(
  'OwnerToRemove',
  explain({ '': 'Which owner it is.', ownerId: ownerIdMeaning }, fields({ ownerId: text() })),
);

export const readNewOwner = (body: unknown): E.Either<RequestInvalid, Owner> =>
  pipe(
    body,
    decodeRequest(AddOwnerBody),
    E.map(({ user, title = null, equity = null }) => ({ user, title, equity })),
  );

/**
 * What is to change of the owner `ownerId` (undefined: it could not be read). An owner cannot become another user:
 * that is to remove one and to add the other.
 */
export const readOwnerChanges = (
  body: unknown,
  ownerId: string | undefined,
): E.Either<RequestInvalid, UpdateOwner['changes']> =>
  pipe(
    body,
    decodeRequest(UpdateOwnerBody),
    E.chain(({ user, ownerId: _addressed, ...changes }) =>
      user === undefined || ownerId === undefined || user === ownerId
        ? E.right(changes)
        : E.left(requestInvalid({ path: 'user', message: 'cannot be changed' })),
    ),
  );

/** Where a request may name the owner. The body may be anything: a proxy or a client may have lost it. */
type OwnerIdSources = {
  readonly path: string | undefined;
  readonly query: QueryValues;
  readonly body: unknown;
};

const invalid = (message: string): E.Either<RequestInvalid, never> =>
  E.left(requestInvalid({ path: 'ownerId', message }));

const fromBody = (body: unknown): E.Either<RequestInvalid, string | null | undefined> => {
  return isJsonObject(body)
    ? E.map(({ ownerId }: { ownerId?: string | null }) => ownerId)(decodeRequest(OwnerIdBody)(body))
    : E.right(undefined);
};

/** The one owner that path, query and body agree on. */
export const readOwnerId = ({ path, query, body }: OwnerIdSources): E.Either<RequestInvalid, string> => {
  const inBody = fromBody(body);
  if (E.isLeft(inBody)) return inBody;
  const given = [path, ...valuesOf(query, 'ownerId'), inBody.right].filter(
    (id): id is string => id !== undefined && id !== null && id !== '',
  );
  const [ownerId, ...others] = new Set(given);
  if (ownerId === undefined) return invalid('is required');
  return others.length === 0 ? E.right(ownerId) : invalid('must be the same wherever it is given');
};
