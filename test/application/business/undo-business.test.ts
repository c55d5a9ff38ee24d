import { expect } from 'chai';
import { restoreBusiness, revertBusiness } from '../../../src/application/business/undo-business.js';
import { businessDecider } from '../../../src/domain/business/decide.js';
import { businessFieldNames } from '../../../src/domain/business/events.js';
import { type BusinessState, unsetFields } from '../../../src/domain/business/state.js';
import { businessComparison } from '../../../src/read/business-view.js';
import { businessCommand } from '../../support/business-commands.js';
import { undoProperties } from '../../support/undo-properties.js';

const isActive = (state: BusinessState): state is Extract<BusinessState, { readonly _tag: 'Active' }> =>
  state._tag === 'Active';

describe('undoing what was done to a business', () => {
  undoProperties({
    decider: businessDecider,
    command: businessCommand,
    isRecord: isActive,
    remove: { _tag: 'DeleteBusiness' },
    restore: restoreBusiness,
    revertTo: (wanted, { fields }) => revertBusiness(wanted, fields),
    revertible: businessFieldNames,
    valuesOf: ({ fields }) => fields,
    staying: ({ owners }) => owners,
    comparison: businessComparison,
  });

  it('takes two requests for the same one by what they ask for, not by what it comes to', () => {
    const then = { ...unsetFields, name: 'a', phone: '1' };
    const { command, request } = revertBusiness({ revision: 3, fields: ['phone'] }, then);
    expect(command).to.deep.equal({ _tag: 'RevertBusiness', to: 3, fields: { phone: '1' } });
    expect(request).to.deep.equal(revertBusiness({ revision: 3, fields: ['phone'] }, { ...then, phone: '2' }).request);
    expect(request).not.to.deep.equal(revertBusiness({ revision: 3 }, then).request);
    expect(request).not.to.deep.equal(revertBusiness({ revision: 4, fields: ['phone'] }, then).request);
  });
});
