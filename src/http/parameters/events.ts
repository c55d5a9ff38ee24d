import { either as E } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type { EventsRequest } from '../../read/entity-events.js';
import { feedParameters } from '../feed/parameters.js';
import { fields } from '../fields/fields-type.js';
import type { RequestInvalid } from '../problem/failure.js';
import { decodeRequest } from '../request/decode.js';
import { Limit } from './page.js';
import { parameter } from './parameter.js';
import { NO_QUERY, type QueryValues } from './query.js';
import { revisionParameter } from './revision.js';

export const Order = parameter<'asc' | 'desc'>({
  expectation: 'asc or desc',
  meaning: 'Oldest or newest first.',
  schema: { type: 'string', enum: ['asc', 'desc'] },
  read: (value) => (value === 'asc' || value === 'desc' ? value : undefined),
});

export const readBoolean = (value: string): boolean | undefined =>
  value === 'true' || value === 'false' ? value === 'true' : undefined;

const Proof = parameter<boolean>({
  expectation: 'true or false',
  meaning: 'Adds what is needed to recompute the hashes.',
  schema: { type: 'boolean' },
  read: readBoolean,
});

const Diff = parameter<boolean>({
  expectation: 'true or false',
  meaning: 'Adds what each event changed, with the values before and after.',
  schema: { type: 'boolean' },
  read: readBoolean,
});

const parameters = {
  from: revisionParameter('Starts at this revision.'),
  limit: Limit,
  order: Order,
  proof: Proof,
  diff: Diff,
};

/** Of a listing, and of the feed of the same events. */
export const EventsParameters = fields({ ...parameters, ...feedParameters });

const ListingParameters = fields(parameters);

const all: E.Either<never, EventsRequest> = E.right({ direction: 'forwards', proof: false, diff: false });

/** Which events of a record to read, and how. */
export const readEventsParameters = (values: QueryValues): E.Either<RequestInvalid, EventsRequest> =>
  values === NO_QUERY.values
    ? all
    : pipe(
        values,
        decodeRequest(ListingParameters),
        E.map(({ order = 'asc', proof = false, diff = false, ...range }) => ({
          ...range,
          direction: order === 'asc' ? ('forwards' as const) : ('backwards' as const),
          proof,
          diff,
        })),
      );
