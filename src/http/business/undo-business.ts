import { isDeepStrictEqual } from 'node:util';
import { restoreBusiness, revertBusiness } from '../../application/business/undo-business.js';
import type { BusinessUseCases } from '../../application/business/use-cases.js';
import type { Foresee } from '../../application/foresee.js';
import type { BusinessCommand } from '../../domain/business/commands.js';
import type { BusinessRejection } from '../../domain/business/rejections.js';
import type { Business, BusinessState } from '../../domain/business/state.js';
import { businessComparison, shownOwner } from '../../read/business-view.js';
import type { EarlierState, EntityReads } from '../../read/entity-reads.js';
import { restoreRecord, revertRecord, type Undoing } from '../record/undo.js';
import { RevertBusinessBody } from './body.js';
import { renderAnyBusiness } from './change-business.js';

/** What undoing needs beside the use cases. */
export type UndoingOfBusinesses = {
  readonly foresee: Foresee<BusinessState, BusinessCommand, BusinessRejection>;
  readonly earlier: EarlierState<BusinessState>;
};

type UndoneBusinesses = Pick<BusinessUseCases, 'undo'> &
  Pick<EntityReads<never>, 'newestRevision'> &
  UndoingOfBusinesses;

const undoing = ({ undo, foresee }: UndoneBusinesses): Undoing<BusinessState, BusinessCommand, BusinessRejection> => ({
  undo,
  foresee,
  comparison: businessComparison,
  render: renderAnyBusiness,
});

const isActive = (state: BusinessState): state is Extract<BusinessState, { readonly _tag: 'Active' }> =>
  state._tag === 'Active';

const WHY_OWNERS_STAY = 'owners are changed by their own operations';

const ownersOf = ({ owners }: Business) => owners.map(shownOwner);

export const restoreBusinessById = (businesses: UndoneBusinesses) =>
  restoreRecord(undoing(businesses), restoreBusiness);

export const revertBusinessById = (businesses: UndoneBusinesses) =>
  revertRecord(undoing(businesses), {
    ...businesses,
    body: RevertBusinessBody,
    isRecord: isActive,
    revertTo: (wanted, { fields }) => revertBusiness(wanted, fields),
    staying: ({ fields }, then, now) => {
      if (fields !== undefined || now._tag === 'NotCreated' || now._tag === 'Erased') return [];
      const [before, after] = [ownersOf(now), ownersOf(then)];
      return isDeepStrictEqual(before, after) ? [] : [{ path: '/owners', why: WHY_OWNERS_STAY, before, after }];
    },
  });
