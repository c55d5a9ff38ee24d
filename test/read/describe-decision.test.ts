import { expect } from 'chai';
import { describeDecision } from '../../src/read/describe-decision.js';

describe('what an auditor reads of decisions about erasures', () => {
  it('names the records whose data is about to be destroyed, and nobody', () => {
    const records = [
      { stream: 'business-a', events: [[1, 1] as [number, number]] },
      { stream: 'document-b', events: 'all' as const },
    ];
    const data = { records, basis: 'Art. 17(1)(a), ticket 4711' };
    expect(describeDecision({ type: 'ErasureBegun', data })).to.deep.equal({
      type: 'decided',
      message: 'the data of events of 2 records is about to be destroyed',
      refs: [
        { entity: 'a', entityType: 'Business' },
        { entity: 'b', entityType: 'Document' },
      ],
      fields: [],
    });
    const ofOne = { ...data, records: records.slice(1) };
    expect(describeDecision({ type: 'ErasureBegun', data: ofOne }).message).to.equal(
      'the data of events of a record is about to be destroyed',
    );
  });

  it('refers to the record that is held, or released', () => {
    const data = { entityType: 'Business', entity: 'a', reason: 'a claim' };
    const refs = [{ entity: 'a', entityType: 'Business' }];
    expect([
      describeDecision({ type: 'RecordHeld', data }),
      describeDecision({ type: 'RecordReleased', data }),
      describeDecision({ type: 'RecordHeld', data: { ...data, entityType: 'of another program' } }),
    ]).to.deep.equal([
      { type: 'decided', message: 'a record is held: it is not to be erased', refs, fields: [] },
      { type: 'decided', message: 'a record that was held is released: it may be erased again', refs, fields: [] },
      { type: 'decided', message: 'a record is held: it is not to be erased', refs: [], fields: [] },
    ]);
  });
});
