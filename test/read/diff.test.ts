import { expect } from 'chai';
import * as fc from 'fast-check';
import { evolveBusiness, initialBusiness } from '../../src/domain/business/state.js';
import { evolveDocument, initialDocument } from '../../src/domain/document/state.js';
import { canonicalJson, type Json, type JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { businessComparison, renderBusiness } from '../../src/read/business-view.js';
import { type Change, diff } from '../../src/read/diff.js';
import { documentComparison, renderDocument } from '../../src/read/document-view.js';
import { businessHistory, documentHistory } from '../projections/histories.js';
import { sometime } from '../support/given.js';

const none = {};
const byUser = { owners: 'user' };

const pathsOf = (changes: ReadonlyArray<Change>): ReadonlyArray<string> => changes.map(({ path }) => path);

type Tree = { [key: string]: Json | undefined };

/** Puts changes into a record whose identified lists are objects by identity; objects that are empty are gone. */
const patched = (record: JsonObject, changes: ReadonlyArray<Change>): JsonObject => {
  const tree = structuredClone<Tree>(record);
  for (const { path, before, after } of changes) {
    const keys = path
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop()!;
    let within = tree;
    for (const key of keys) within = (within[key] ??= {}) as Tree;
    expect(within[last] ?? null, path).to.deep.equal(before);
    within[last] = after;
  }
  return tree;
};

/** Without what stands for nothing, and with owners by their user. */
const plain = (record: JsonObject | undefined): JsonObject => {
  const { owners, ...others } = record ?? {};
  const byIdentity = Object.fromEntries(
    ((owners ?? []) as ReadonlyArray<JsonObject>).map((owner) => [owner['user'] as string, owner]),
  );
  return JSON.parse(canonicalJson({ ...others, owners: byIdentity })) as JsonObject;
};

const isNothing = (value: Json | undefined): boolean =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);

const withoutNothing = (record: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(record)
      .map(([key, value]) => [key, key === 'owners' ? withoutNothing(value as JsonObject) : value] as const)
      .filter(([, value]) => !isNothing(value)),
  );

describe('the difference of two records', () => {
  it('is each member that changed, with the values before and after it', () => {
    expect(
      diff({ name: 'a', phone: '1', tags: ['x'] }, { name: 'a', phone: null, tags: ['x', 'y'] }, none),
    ).to.deep.equal([
      { path: '/phone', before: '1', after: null },
      { path: '/tags', before: ['x'], after: ['x', 'y'] },
    ]);
  });

  it('is every value that was given, where there was no record; and every one that was lost, where there is none', () => {
    const record = { name: 'a', phone: null, tags: [], worth: 0, isOpen: false, text: '' };
    expect(diff(undefined, record, none)).to.deep.equal([
      { path: '/name', before: null, after: 'a' },
      { path: '/worth', before: null, after: 0 },
      { path: '/isOpen', before: null, after: false },
      { path: '/text', before: null, after: '' },
    ]);
    expect(diff(record, undefined, none)).to.deep.equal([
      { path: '/name', before: 'a', after: null },
      { path: '/worth', before: 0, after: null },
      { path: '/isOpen', before: false, after: null },
      { path: '/text', before: '', after: null },
    ]);
    expect(diff(undefined, undefined, none)).to.deep.equal([]);
  });

  it('looks into objects, and at lists as a whole', () => {
    const before = { address: { city: 'Bonn', zip: '1' }, list: [{ a: 1 }] };
    expect(diff(before, { address: { city: 'Köln', zip: '1' }, list: [{ a: 1 }] }, none)).to.deep.equal([
      { path: '/address/city', before: 'Bonn', after: 'Köln' },
    ]);
    expect(pathsOf(diff(before, { address: 'Bonn', list: [{ a: 2 }] }, none))).to.deep.equal(['/address', '/list']);
  });

  it('names the elements of a list by what identifies them', () => {
    const [ann, bob, eve] = ['ann', 'bob', 'eve'].map((user) => ({ user, title: null }));
    const owners = [ann!, bob!, eve!];
    const ofOwners = (from: ReadonlyArray<JsonObject>, to: ReadonlyArray<JsonObject>): ReadonlyArray<Change> =>
      diff({ owners: from }, { owners: to }, byUser);
    expect(ofOwners(owners, [ann!, { ...bob!, title: 'CEO' }, eve!])).to.deep.equal([
      { path: '/owners/bob/title', before: null, after: 'CEO' },
    ]);
    expect(ofOwners(owners, [ann!, eve!])).to.deep.equal([{ path: '/owners/bob', before: bob, after: null }]);
    expect(ofOwners([ann!], [ann!, bob!])).to.deep.equal([{ path: '/owners/bob', before: null, after: bob }]);
    expect(ofOwners(owners, [eve!, ann!, bob!])).to.deep.equal([]);
    // in no log of ours
    expect(pathsOf(ofOwners([ann!], [ann!, ann!]))).to.deep.equal(['/owners/ann']);
    expect(pathsOf(diff({ owners }, undefined, byUser))).to.deep.equal(['/owners/ann', '/owners/bob', '/owners/eve']);
  });

  it('has paths that are JSON Pointers, whatever the names are', () => {
    const owner = { user: 'a/b~c.d', title: 'x' };
    expect(pathsOf(diff({ owners: [owner] }, { owners: [{ ...owner, title: 'y' }] }, byUser))).to.deep.equal([
      '/owners/a~1b~0c.d/title',
    ]);
  });

  it('says of every event all that it changed, and nothing else', () => {
    const told = (
      records: ReadonlyArray<JsonObject | undefined>,
      compared: (one: JsonObject | undefined, other: JsonObject | undefined) => ReadonlyArray<Change>,
    ): void =>
      records.forEach((after, index) => {
        const before = records[index - 1];
        const changes = compared(before, after);
        expect(withoutNothing(patched(plain(before), changes))).to.deep.equal(withoutNothing(plain(after)));
        for (const change of changes) expect(canonicalJson(change.before)).not.to.equal(canonicalJson(change.after));
      });
    fc.assert(
      fc.property(businessHistory, (history) => {
        // no command adds an owner twice
        const added = history.flatMap((event) => (event.type === 'BusinessOwnerAdded' ? [event.data.user] : []));
        fc.pre(new Set(added).size === added.length);
        let state = initialBusiness;
        const records = history.map((event, revision) => {
          state = evolveBusiness(state, event, { revision });
          const record = businessComparison.recordOf('b1', state);
          if (state._tag === 'Active')
            expect({ _id: 'b1', ...record }).to.deep.equal(JSON.parse(renderBusiness('b1', state)));
          return record;
        });
        told(records, (before, after) => diff(before, after, businessComparison.identifiedBy));
      }),
    );
    fc.assert(
      fc.property(documentHistory, (history) => {
        let state = initialDocument;
        const records = history.map((event) => {
          state = evolveDocument(state, event, sometime);
          const record = documentComparison.recordOf('d1', state);
          if (state._tag === 'Current') {
            const { sha256, ...shown } = record ?? {};
            expect({ _id: 'd1', ...shown }).to.deep.equal(JSON.parse(renderDocument('d1', state)));
            expect(sha256).to.equal(state.file?.sha256 ?? null);
          }
          return record;
        });
        told(records, (before, after) => diff(before, after, documentComparison.identifiedBy));
      }),
    );
  });
});
