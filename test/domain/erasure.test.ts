import { expect } from 'chai';
import fc from 'fast-check';
import type { BusinessEvent } from '../../src/domain/business/events.js';
import { type BusinessState, evolveBusiness, initialBusiness } from '../../src/domain/business/state.js';
import { businessDecider } from '../../src/domain/business/decide.js';
import { documentDecider } from '../../src/domain/document/decide.js';
import type { ErasedEvents } from '../../src/event-sourcing/erasure/erased-events.js';
import { either as E } from 'fp-ts';
import { businessHistory } from '../projections/histories.js';

/** Of events that a fold passes over, nothing but the revision counts. */
const fold = (
  history: ReadonlyArray<BusinessEvent | undefined>,
  from: BusinessState = initialBusiness,
): BusinessState =>
  history.reduce<BusinessState>(
    (state, event, revision) => (event === undefined ? state : evolveBusiness(state, event, { revision })),
    from,
  );

const erasing = (events: ErasedEvents): BusinessEvent => ({ type: 'BusinessErased', data: { events, basis: 'b' } });

const isAbout = (event: BusinessEvent, user: string): boolean => 'user' in event.data && event.data.user === user;

describe('an erasure', () => {
  it('of the events about an owner leaves the same state as events that never were, before and after they are gone', () => {
    fc.assert(
      fc.property(businessHistory, fc.constantFrom('ann', 'bob'), (history, user) => {
        const ranges = history.flatMap((event, at): Array<[number, number]> =>
          isAbout(event, user) ? [[at, at]] : [],
        );
        const gone = history.map((event) => (isAbout(event, user) ? undefined : event));
        const at = { revision: history.length };
        const before = evolveBusiness(fold(history), erasing(ranges), at);
        expect(before).to.deep.equal(evolveBusiness(fold(gone), erasing(ranges), at));
        expect(before).to.deep.equal(fold(gone));
      }),
    );
  });

  it('of all events leaves nothing, whatever was before, and whether it is gone already', () => {
    fc.assert(
      fc.property(businessHistory, businessHistory, (history, later) => {
        const at = { revision: history.length };
        const erased = evolveBusiness(fold(history), erasing('all'), at);
        expect(erased).to.deep.equal(evolveBusiness(initialBusiness, erasing('all'), at));
        // nothing that comes behind it brings anything back
        expect(fold(later, erased)).to.deep.equal({ _tag: 'Erased' });
      }),
    );
  });

  it('leaves a record that takes no command, as one that never was', () => {
    const notFound = E.left({ _tag: 'BusinessNotFound' });
    for (const command of [
      { _tag: 'UpdateBusiness', businessId: 'b1', changes: { name: 'Acme' } },
      { _tag: 'DeleteBusiness' },
      { _tag: 'RestoreBusiness' },
      { _tag: 'RevertBusiness', to: 0, fields: { name: 'Acme' } },
      { _tag: 'AddOwner', owner: { user: 'ann', title: null, equity: null } },
      { _tag: 'UpdateOwner', user: 'ann', changes: { title: null } },
      { _tag: 'RemoveOwner', user: 'ann' },
    ] as const)
      expect(businessDecider.decide(command)({ _tag: 'Erased' })).to.deep.equal(notFound);
    for (const command of [
      { _tag: 'UpdateDocument', changes: { name: 'Deed' } },
      { _tag: 'DeleteDocument' },
      { _tag: 'RestoreDocument' },
      { _tag: 'RevertDocument', to: 0, fields: { name: 'Deed' } },
    ] as const)
      expect(documentDecider.decide(command)({ _tag: 'Erased' })).to.deep.equal(E.left({ _tag: 'DocumentNotFound' }));
  });
});
