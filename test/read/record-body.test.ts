import { expect } from 'chai';
import fc from 'fast-check';
import { partLifecycle, withLifecycle } from '../../src/read/record-body.js';

const lifecycle = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-02T00:00:00.000Z', revision: 7n };

describe('the text of a record', () => {
  it('ends with when it was created and last changed, and with its revision', () => {
    expect(withLifecycle('{"_id":"b1"}', lifecycle)).to.equal(
      '{"_id":"b1","createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-02T00:00:00.000Z","revision":7}',
    );
  });

  it('can be parted again, whatever is in it', () => {
    const values = fc.oneof(fc.json(), fc.constant(',"createdAt":"x"'), fc.constant('"},"createdAt":'));
    fc.assert(
      fc.property(values, fc.string(), (value, createdAt) => {
        const record = JSON.stringify({ _id: 'b1', name: value, createdAt: value });
        expect(partLifecycle(withLifecycle(record, { ...lifecycle, createdAt }))).to.deep.equal({ record, createdAt });
      }),
    );
  });
});
