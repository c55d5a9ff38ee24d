import { LedgerParameters } from '../audit/parameters.js';
import { ReadsParameters } from '../audit/reads-parameters.js';
import { keysOf } from '../fields/keys-of.js';
import { type UnknownNames, unknownFaults } from '../parameters/unknown.js';
import type { Fault } from '../problem/problem.js';
import type { RequestContext } from '../request-context.js';
import type { Route } from '../route.js';

type Description = Route['description'];

/** What one request has that its operation does not, or cannot be read; undefined where there is nothing to refuse. */
export type FindUnknown = (
  request: Pick<RequestContext, 'query' | 'unreadable'>,
  isStrict: boolean,
) => UnknownNames | undefined;

/** The parameters that an operation takes. */
export const parametersOf = ({ query }: Description): ReadonlyArray<string> =>
  query === undefined ? [] : keysOf(query);

/** Those of the interface for auditors are known where it is switched off, too: what a client may send depends on no setting. */
const ofAuditors = [...keysOf(LedgerParameters), ...keysOf(ReadsParameters)];

const nothing = (): ReadonlyArray<Fault> => [];

/**
 * Finds the keys of a body that an operation neither takes nor shows: what it answered may be sent back to it. The file of
 * a form is no key, and the reader of forms looks after it; a body that is a file has none.
 */
const keyFinderOf = ({ body, success }: Description): UnknownNames['keysOf'] => {
  if (body === undefined || 'mediaType' in body) return nothing;
  const taken = [...new Set([...keysOf(body.json), ...(body.form === undefined ? [] : keysOf(body.form.codec))])];
  const shown = 'eventsOf' in success || 'mediaType' in success ? [] : keysOf(success);
  const known = new Set([...taken, ...shown]);
  return (given) =>
    unknownFaults(
      Object.keys(given).filter((key) => !known.has(key)),
      'field',
      taken,
    );
};

/**
 * How to find it, for each row of a table. A parameter that another row takes is always refused, as it would do nothing
 * here though whoever sent it counts on it. Others, and the keys of a body, are refused in strict handling alone, but for
 * operations that refuse every unknown parameter.
 */
export const makeFindUnknown = (routes: ReadonlyArray<Route>): ((route: Route) => FindUnknown) => {
  const elsewhere = new Set([...ofAuditors, ...routes.flatMap(({ description }) => parametersOf(description))]);
  return ({ description }) => {
    const own = parametersOf(description);
    const taken = new Set(own);
    const findKeys = keyFinderOf(description);
    return ({ query, unreadable = [] }, isStrict) => {
      const refusesAll = isStrict || description.refusesUnknown === true;
      const names = Object.keys(query).filter((name) => !taken.has(name) && (refusesAll || elsewhere.has(name)));
      const parameters = [...unreadable, ...unknownFaults(names, 'parameter', own)];
      if (parameters.length === 0 && !isStrict) return undefined;
      return { parameters, keysOf: isStrict ? findKeys : nothing };
    };
  };
};
