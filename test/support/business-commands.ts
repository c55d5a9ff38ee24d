import * as fc from 'fast-check';
import type { BusinessCommand } from '../../src/domain/business/commands.js';
import { amount, orNull, user } from './arbitrary-values.js';
import { owner } from './business-events.js';

// Few enough values that commands meet what already is.
const text = fc.constantFrom('a', 'ä', '😀');
const businessId = 'b1';

const changes = fc.record(
  {
    name: text,
    displayName: orNull(text),
    website: orNull(text),
    city: orNull(text),
    netWorth: orNull(amount),
    parent: orNull(fc.constantFrom(businessId, 'b2', 'b3')),
  },
  { requiredKeys: [] },
);

/** Any command on the business `b1`. */
export const businessCommand: fc.Arbitrary<BusinessCommand> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({ fields: changes, name: text })
      .map(({ fields, name }) => ({ _tag: 'CreateBusiness' as const, businessId, fields: { ...fields, name } })),
  },
  { weight: 5, arbitrary: changes.map((fields) => ({ _tag: 'UpdateBusiness' as const, businessId, changes: fields })) },
  { weight: 1, arbitrary: fc.constant({ _tag: 'DeleteBusiness' as const }) },
  { weight: 2, arbitrary: fc.constant({ _tag: 'RestoreBusiness' as const }) },
  {
    weight: 3,
    arbitrary: fc
      .record({ to: fc.nat(9), fields: changes })
      .map(({ to, fields }) => ({ _tag: 'RevertBusiness' as const, to, fields })),
  },
  { weight: 5, arbitrary: owner.map((data) => ({ _tag: 'AddOwner' as const, owner: data })) },
  {
    weight: 3,
    arbitrary: fc
      .record({ title: orNull(text), equity: orNull(fc.nat(2)) }, { requiredKeys: [] })
      .chain((fields) => user.map((name) => ({ _tag: 'UpdateOwner' as const, user: name, changes: fields }))),
  },
  { weight: 3, arbitrary: user.map((name) => ({ _tag: 'RemoveOwner' as const, user: name })) },
);
