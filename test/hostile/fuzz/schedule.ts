import type { Context, Mutation } from './draft.js';
import { mutationsFor } from './mutations/all.js';
import { asDescribed } from './mutations/as-described.js';
import { isByLink, isPublic, type Operation } from './operations.js';
import { makeCycle, makeRandom } from './random.js';
import { neededFirst } from './valid-draft.js';

/** What to ask: an operation, and how its request is changed. */
type Plan = { readonly operation: Operation; readonly mutation: Mutation };

/** Most requests that prepare one: a business, an owner of it, a change under a key, and one more if one has failed. */
const MOST_BEFORE = 4;

/** How often an operation on records is tried for each time that a public one is. */
const ON_RECORDS = 4;

/** The same of links, of which there are none at the beginning. */
const BY_LINK = 2;

const weightOf = (operation: Operation): number => {
  if (isByLink(operation)) return BY_LINK;
  return isPublic(operation) ? 1 : ON_RECORDS;
};

const preparationOf = ({ operation, mutation }: Plan, context: Context): Plan | undefined => {
  const needed = neededFirst(operation, context);
  if (needed !== undefined) return { operation: needed, mutation: asDescribed };
  const other = mutation.before?.(operation, context);
  return other && { operation, mutation: other };
};

/** Plans one request after another; each operation comes with each mutation, and what a request needs comes before it. */
export const makeSchedule = (seed: number, operations: ReadonlyArray<Operation>): ((context: Context) => Plan) => {
  const random = makeRandom(seed);
  const nextOperation = makeCycle(
    random,
    operations.flatMap((operation) => Array.from({ length: weightOf(operation) }, () => operation)),
  );
  const nextMutation = new Map(operations.map((operation) => [operation, makeCycle(random, mutationsFor(operation))]));
  const plan = (): Plan => {
    const operation = nextOperation();
    return { operation, mutation: nextMutation.get(operation)?.() ?? asDescribed };
  };
  let planned: Plan | undefined;
  let prepared = 0;
  return (context) => {
    const next = planned ?? plan();
    const preparation = prepared < MOST_BEFORE ? preparationOf(next, context) : undefined;
    planned = preparation === undefined ? undefined : next;
    prepared = preparation === undefined ? 0 : prepared + 1;
    return preparation ?? next;
  };
};
