import { expect } from 'chai';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { amount } from '../support/arbitrary-values.js';
import { membersOf } from '../support/audit-pack.js';
import { FILE, fileData, PACK_KEY, packOfFacts } from '../support/bad-packs.js';
import { needs } from '../support/needs.js';
import { hasPython } from '../support/python.js';
import { undoneFacts } from '../support/undone-facts.js';
import { loadVerifyPage } from '../support/verify-page.js';
import { refusal, startVerifyPy, type VerifyPy } from '../support/verify-py.js';

const TYPES = [
  ...['BusinessCreated', 'BusinessUpdated', 'BusinessDeleted', 'BusinessOwnerAdded', 'BusinessOwnerUpdated'],
  ...['BusinessOwnerRemoved', 'DocumentCreated', 'DocumentUpdated', 'SomethingUpdated', 'toString'],
  ...['BusinessRestored', 'BusinessReverted', 'DocumentDeleted', 'DocumentRestored', 'DocumentReverted'],
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
        to: fc.oneof(fc.nat(), amount, anyJson),
        file: fc.constantFrom<Json>(null, 7, 'a file', []),
      },
      { requiredKeys: [] },
    )
    .chain((data) => anyObject.map((more): JsonObject => ({ ...more, ...data }))),
  fc
    .record({ originalName: fc.oneof(fc.string({ unit: 'binary' }), anyJson), changes: anyObject, to: fc.nat() })
    .map(({ originalName, changes, to }): JsonObject => ({ ...fileData({ originalName }), changes, to })),
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

  /** The page in a pack that both verifiers take, or what both say of it. */
  const pageOf = async (
    facts: ReadonlyArray<readonly [type: string, data: Json, ...more: ReadonlyArray<unknown>]>,
    files: ReadonlyArray<Buffer> = [],
  ): Promise<string> => {
    const pack = await packOfFacts(
      facts.map(([type, data], index) => ({ type, data, index })),
      files,
    );
    const verdict = await python.run('pack', await python.file('pack.zip', pack), '--key', PACK_KEY);
    const { verified, said } = await loadVerifyPage()(pack, PACK_KEY);
    expect(verdict).to.deep.equal(verified ? { code: 0, out: `${said}\n`, error: '' } : refusal(said));
    return verified ? (await membersOf(pack)).get('report.html')!.toString() : said;
  };

  it('says what was deleted, restored and reverted, whatever the shape of the data', async () => {
    const page = await pageOf(undoneFacts, [FILE]);
    const said = Array.from(page.matchAll(/<h3>\d+\. (.*)<\/h3>/g), ([, words]) => words);
    expect(said).to.deep.equal(undoneFacts.map(([, , words]) => words));
  });

  it('tells what a revert changed, and what was there before it', async () => {
    const page = await pageOf(
      [
        ['DocumentCreated', { name: 'a', ...fileData({}) }],
        ['DocumentUpdated', { changes: { name: 'b' } }],
        ['DocumentReverted', { to: 0, changes: { name: 'a' }, file: null, uploaded: null }],
        ['DocumentReverted', { to: 1, changes: { name: 'b' }, ...fileData({ originalName: 'c' }) }],
      ],
      [FILE],
    );
    const [, , , revert, again] = page.split('<article ');
    expect(revert)
      .to.include('<dt>name</dt><dd><q>b</q> → <q>a</q></dd>\n<dt>file</dt><dd><q>a</q>, 7 bytes, SHA-256 ')
      .and.include(' → <em>nothing</em></dd>\n<dt>to</dt><dd>0</dd>\n<dt>uploaded</dt><dd><em>nothing</em></dd>\n');
    expect(again)
      .to.include('<dt>file</dt><dd><em>nothing</em> → <q>c</q>, 7 bytes, SHA-256 ')
      .and.match(/<li><q>c<\/q>, 7 bytes, .*: <a href="#document-7\/3">b, revision 3<\/a><\/li>/);
  });

  it('cannot be that of a pack without the file that a revert names', async () => {
    expect(await pageOf([['DocumentReverted', { to: 0, changes: {}, ...fileData({}) }]])).to.match(
      /^files\/[0-9a-f]{64} is missing: an event names that file$/,
    );
  });
});
