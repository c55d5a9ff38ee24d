import type { Context, Mutation } from '../draft.js';
import { anything } from '../expectation.js';
import type { Operation } from '../operations.js';
import { access } from './access.js';
import { address } from './address.js';
import { asDescribed } from './as-described.js';
import { conditions, ranges } from './conditions.js';
import { file } from './file.js';
import { form } from './form.js';
import { idempotency } from './idempotency.js';
import { json } from './json.js';
import { query } from './query.js';
import { reason, reasonUnderKey } from './reason.js';
import { unknown } from './unknown.js';

const combined = [
  ...access,
  ...address,
  ...query,
  ...conditions,
  ...ranges,
  ...json,
  ...form,
  ...file,
  ...reason,
  ...unknown,
];

const several: Mutation = {
  name: 'by several mutations at once',
  weight: 4,
  suits: () => true,
  apply: (draft, context: Context) => {
    const suited = context.random.shuffled(combined.filter(({ suits }) => suits(draft.operation)));
    for (const { apply } of suited.slice(0, 2 + context.random.int(3))) apply(draft, context);
    draft.isPlain = false;
    draft.expects = anything;
  },
};

/** Everything that makes sense for an operation, each as often as it is to be tried. */
export const mutationsFor = (operation: Operation): ReadonlyArray<Mutation> =>
  [asDescribed, ...combined, ...idempotency, ...reasonUnderKey, several]
    .filter(({ suits }) => suits(operation))
    .flatMap((mutation) => Array.from({ length: mutation.weight ?? 1 }, () => mutation));
