import type { BusinessCommand } from '../../domain/business/commands.js';
import { type BusinessChanges, businessFieldNames, type BusinessFields } from '../../domain/business/events.js';
import { requestOfRevert, type Undo, type Wanted } from '../undo.js';

export const restoreBusiness: Undo<BusinessCommand> = {
  command: { _tag: 'RestoreBusiness' },
  request: { _tag: 'RestoreBusiness' },
};

/** Back to `then`, which the fields were at the revision. Owners stay: each of them has operations of its own. */
export const revertBusiness = (
  { revision, fields: names }: Wanted<keyof BusinessFields>,
  then: BusinessFields,
): Undo<BusinessCommand> => {
  // reason: each name with the value of that name
  const fields = Object.fromEntries((names ?? businessFieldNames).map((name) => [name, then[name]])) as BusinessChanges;
  return {
    command: { _tag: 'RevertBusiness', to: revision, fields },
    request: requestOfRevert('RevertBusiness', { revision, fields: names }),
  };
};
