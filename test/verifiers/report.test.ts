import { expect } from 'chai';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { FILE, fileData, PACK_KEY, packOfFacts } from '../support/bad-packs.js';
import { needs } from '../support/needs.js';
import { hasPython } from '../support/python.js';
import { loadVerifyPage } from '../support/verify-page.js';
import { startVerifyPy, type VerifyPy } from '../support/verify-py.js';

const TYPES = [
  ...['BusinessCreated', 'BusinessUpdated', 'BusinessDeleted', 'BusinessOwnerAdded', 'BusinessOwnerUpdated'],
  ...['BusinessOwnerRemoved', 'DocumentCreated', 'DocumentUpdated', 'SomethingUpdated', 'toString'],
];

// reason: what fast-check makes of JSON is JSON
const anyJson = fc.json({ maxDepth: 3, stringUnit: 'binary' }).map((text) => JSON.parse(text) as Json);
const name = fc.oneof(
  fc.constantFrom(
    'name',
    'user',
    'title',
    'size',
    '__proto__',
    'constructor',
    '$reason',
    'a',
    'é',
    '\ufb01',
    '\u{1f600}',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const anyObject = fc
  .array(fc.tuple(name, fc.oneof(anyJson, fc.string({ unit: 'binary' }), fc.constant(null))), { maxLength: 5 })
  .map((members): JsonObject => Object.fromEntries(members));

/** Data as the service writes it, in all but its names and values, and data as it never does. */
const anyData = fc.oneof(
  anyJson.filter((json) => !JSON.stringify(json).includes('"file"')),
  fc
    .record(
      {
        changes: fc.oneof(anyObject, anyJson),
        name: anyJson,
        user: fc.oneof(fc.constantFrom('bob', 'carol'), anyJson),
        $reason: fc.oneof(fc.string(), anyJson),
        previousParent: fc.string(),
        file: fc.constantFrom<Json>(null, 7, 'a file', []),
      },
      { requiredKeys: [] },
    )
    .chain((data) => anyObject.map((more): JsonObject => ({ ...more, ...data }))),
  fc
    .record({ originalName: fc.oneof(fc.string({ unit: 'binary' }), anyJson), changes: anyObject })
    .map(({ originalName, changes }): JsonObject => ({ ...fileData({ originalName }), changes })),
);

const facts = fc
  .array(fc.record({ type: fc.constantFrom(...TYPES), data: anyData, isErased: fc.nat(5).map((one) => one === 0) }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((all) => all.map((fact, index) => ({ ...fact, index })));

const namesFile = ({ data, isErased }: { readonly data: Json; readonly isErased: boolean }): boolean =>
  !isErased && JSON.stringify(data).includes('"sha256"');

describe('report.html', function () {
  this.timeout(300_000);
  let python: VerifyPy;

  before(async function () {
    needs(this, hasPython(), 'python3, in which a verifier is written');
    python = await startVerifyPy();
  });
  after(async () => {
    if (hasPython()) await python.stop();
  });

  it('is the same page for the packer and for both verifiers, of whatever data', async () => {
    const askPage = loadVerifyPage();
    await fc.assert(
      fc.asyncProperty(facts, async (all) => {
        const pack = await packOfFacts(all, all.some(namesFile) ? [FILE] : []);
        const { code, error } = await python.run('pack', await python.file('pack.zip', pack), '--key', PACK_KEY);
        expect([code, error]).to.deep.equal([0, '']);
        expect((await askPage(pack, PACK_KEY)).verified).to.equal(true);
      }),
      { numRuns: 200 },
    );
  });
});
