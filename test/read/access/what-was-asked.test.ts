import { expect } from 'chai';
import { whatWasAsked } from '../../../src/read/access/what-was-asked.js';

describe('what the record of reads says of parameters', () => {
  it('is their values where these name nobody, and instants in UTC', () => {
    expect(
      whatWasAsked([
        ['from', '3'],
        ['limit', '100'],
        ['proof', 'true'],
        ['name', 'BusinessUpdated'],
        ['since', '2026-01-02T03:04:05+02:00'],
        ['entityType', 'Document,Business'],
      ]),
    ).to.equal(
      'from=3&limit=100&proof=true&name=BusinessUpdated&since=2026-01-02T01:04:05.000Z&entityType=Document,Business',
    );
    expect(whatWasAsked([])).to.equal('');
  });

  it('is the name alone of whatever can name a person, or is no value of such a parameter', () => {
    expect(
      whatWasAsked([
        ['user', 'alice@example.com'],
        ['ref', 'alice'],
        ['entity', 'alice'],
        ['reason', 'alice moved'],
        ['value', 'alice'],
        ['q', 'alice'],
        ['name', 'Alice Smith'],
        ['at', 'alice'],
        ['field', ['alice', 'bob']],
        ['field', 'alice,bob'],
        ['entityType', 'Document,Alice Smith'],
      ]),
    ).to.equal('user&ref&entity&reason&value&q&name&at&field&field&entityType');
  });
});
