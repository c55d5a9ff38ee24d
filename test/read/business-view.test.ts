import { expect } from 'chai';
import type { BusinessFields } from '../../src/domain/business/events.js';
import { unsetFields } from '../../src/domain/business/state.js';
import { renderBusiness, renderOwner } from '../../src/read/business-view.js';

describe('a business as answered', () => {
  it('has every key, null where nothing was given, and no owners', () => {
    expect(renderBusiness('b1', { fields: { ...unsetFields, name: 'Acme' }, owners: [] })).to.equal(
      '{"_id":"b1","businessType":null,"name":"Acme","dba":null,"displayname":null,"email":null,"phone":null,' +
        '"website":null,"netWorth":null,"revenue":null,"ein":null,"parent":null,"line1":null,"line2":null,' +
        '"city":null,"state":null,"zip":null,"country":null,"owners":[]}',
    );
  });

  it('has every field under its own key', () => {
    const fields: BusinessFields = {
      name: 'a name',
      displayName: 'a display name',
      businessType: 'a type',
      dba: 'a dba',
      email: 'an email',
      phone: 'a phone',
      website: 'a website',
      netWorth: 1.5,
      revenue: -2,
      ein: 'an ein',
      parent: 'a parent',
      line1: 'line 1',
      line2: 'line 2',
      city: 'a city',
      state: 'a state',
      zip: 'a zip',
      country: 'a country',
    };
    const owners = [
      { user: 'bob', title: null, equity: 0 },
      { user: 'alice', title: 'CEO', equity: null },
    ];
    const { displayName: displayname, ...others } = fields;
    expect(JSON.parse(renderBusiness('b1', { fields, owners }))).to.deep.equal({
      _id: 'b1',
      ...others,
      displayname,
      owners,
    });
  });

  it('shows of fields and owners what the contract names, and nothing else that is stored with them', () => {
    const owner = { user: 'bob', title: null, equity: null, secret: 'x' };
    const fields = { ...unsetFields, name: 'Acme', secret: 'x' };
    expect(renderBusiness('b1', { fields, owners: [owner] })).not.to.include('secret');
    expect(renderOwner(owner)).to.equal('{"user":"bob","title":null,"equity":null}');
  });
});
