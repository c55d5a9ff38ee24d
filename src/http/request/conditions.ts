import type { IncomingHttpHeaders } from 'node:http';
import { either as E } from 'fp-ts';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';
import type { Fault } from '../problem/problem.js';
import { type EntityTags, type MatchesTag, matchesTag, parseEntityTags } from './entity-tags.js';

export type Conditions = {
  readonly ifMatch?: EntityTags | undefined;
  readonly ifNoneMatch?: EntityTags | undefined;
};

const unconditional: E.Either<never, Conditions> = E.right({});

const faultsOf = (name: string, header: string | undefined, tags: EntityTags | undefined): ReadonlyArray<Fault> =>
  header !== undefined && tags === undefined
    ? [{ path: name, message: 'must be * or a list of entity tags, each in double quotes' }]
    : [];

const parse = (header: string | undefined): EntityTags | undefined =>
  header === undefined ? undefined : parseEntityTags(header);

export const conditionsOf = (headers: IncomingHttpHeaders): E.Either<RequestInvalid, Conditions> => {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match === undefined && noneMatch === undefined) return unconditional;
  const ifMatch = parse(match);
  const ifNoneMatch = parse(noneMatch);
  const faults = [...faultsOf('If-Match', match, ifMatch), ...faultsOf('If-None-Match', noneMatch, ifNoneMatch)];
  return faults.length === 0 ? E.right({ ifMatch, ifNoneMatch }) : E.left(requestInvalid(...faults));
};

/**
 * Evaluates them for a record whose tag is `current` (undefined: there is none), as RFC 9110 §13.2.2 says; `If-None-Match`
 * by `isNoneMatched`, which is the strong comparison unless another one is given.
 */
export const evaluate = (
  { ifMatch, ifNoneMatch }: Conditions,
  current: string | undefined,
  isNoneMatched: MatchesTag = matchesTag,
): 'Go' | 'IfMatchFailed' | 'IfNoneMatchFailed' => {
  if (ifMatch !== undefined && !matchesTag(ifMatch, current)) return 'IfMatchFailed';
  return ifNoneMatch !== undefined && isNoneMatched(ifNoneMatch, current) ? 'IfNoneMatchFailed' : 'Go';
};
