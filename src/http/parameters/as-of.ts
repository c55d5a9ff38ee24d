import { either as E } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type { AsOf } from '../../read/history.js';
import { fields } from '../fields/fields-type.js';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';
import { decodeRequest } from '../request/decode.js';
import { instantParameter } from './instant.js';
import { NO_QUERY, type QueryValues } from './query.js';
import { revisionParameter } from './revision.js';

export const AsOfParameters = fields({
  revision: revisionParameter('The state at this revision. Needs a role that may read events.'),
  at: instantParameter('The state at this instant; excludes revision. Needs a role that may read events.'),
});

const bothGiven = requestInvalid(
  { path: 'revision', message: 'cannot be given together with at' },
  { path: 'at', message: 'cannot be given together with revision' },
);

const now: E.Either<never, AsOf> = E.right({ _tag: 'Now' });

/** Which state of a record to read: that of a revision or of an instant, else the current one. */
export const readAsOf = (values: QueryValues): E.Either<RequestInvalid, AsOf> =>
  values === NO_QUERY.values
    ? now
    : pipe(
        values,
        decodeRequest(AsOfParameters),
        E.chain(({ revision, at }): E.Either<RequestInvalid, AsOf> => {
          if (revision !== undefined && at !== undefined) return E.left(bothGiven);
          if (revision !== undefined) return E.right({ _tag: 'AtRevision', revision });
          return at === undefined ? now : E.right({ _tag: 'AtTime', at });
        }),
      );
