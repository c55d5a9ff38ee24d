import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { signCheckpoint } from '../../src/seal/checkpoint.js';
import { makePackedLog, packOf } from '../support/audit-pack.js';
import { badPacks, cutPack, goodPacks, PACK_KEY } from '../support/bad-packs.js';
import { hasChromium, startChromium } from '../support/chromium.js';
import { replacedKeyPacks, saidOfKeys } from '../support/key-changes.js';
import { needs } from '../support/needs.js';
import { witnessedPack, witnessedPacks } from '../support/witnessed-packs.js';
import { leafDataOf, right } from '../support/sealed-tree.js';

/** Does in the page what `verify` does below, in one call in place of seven. Text, so that no compiler changes it. */
const VERIFY_AT_ONCE = String.raw`async ({ pack, key }) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([Uint8Array.from(atob(pack), (character) => character.charCodeAt(0))], 'pack.zip'));
  document.getElementById('pack').files = transfer.files;
  document.getElementById('kept').value = '';
  document.getElementById('key').value = key;
  document.getElementById('form').requestSubmit();
  const result = document.getElementById('result');
  const hasEnded = () => result.querySelector('h2') !== null;
  await new Promise((resolve) => {
    const observer = new MutationObserver(() => hasEnded() && resolve());
    observer.observe(result, { childList: true, subtree: true });
    if (hasEnded()) resolve();
  });
  return [...result.children].map((child) => child.innerText);
}`;

/** When to wait no longer for the page, ms: it may be slow on a machine that is busy with other tests. */
const GIVEN_UP = 120_000;

describe('verify.html, opened from disk in Chromium', function () {
  this.timeout(300_000);

  const log = makePackedLog();
  let browser: Browser;
  let page: Page;
  /** Every request that the page has made, but for the one that opened it. */
  let requests: Array<string>;
  let errors: Array<string>;

  before(async function () {
    needs(this, hasChromium(), 'chromium, in which the page runs');
    browser = await startChromium();
    page = await browser.newPage();
    page.setDefaultTimeout(GIVEN_UP);
    requests = [];
    errors = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => errors.push(message.text()));
    await page.goto(pathToFileURL('verifiers/verify.html').href);
  });
  after(async () => {
    if (hasChromium()) await browser.close();
  });
  afterEach(() => {
    expect(errors).to.deep.equal([]);
  });

  const fileOf = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer });

  /** What the page says of a pack. */
  const verify = async (
    pack: Buffer,
    key = PACK_KEY,
    kept?: string,
    policy?: string,
    changes?: string | Buffer,
  ): Promise<ReadonlyArray<string>> => {
    await page.getByLabel('The pack').setInputFiles(fileOf('pack.zip', pack));
    await page.getByLabel('The verifier key').fill(key);
    await page.getByLabel('A checkpoint').setInputFiles(kept === undefined ? [] : fileOf('kept', Buffer.from(kept)));
    await page.getByLabel('A policy').setInputFiles(policy === undefined ? [] : fileOf('policy', Buffer.from(policy)));
    const list = changes === undefined ? [] : fileOf('changes', Buffer.from(changes));
    await page.getByLabel('A list of key changes').setInputFiles(list);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.locator('#result h2').waitFor();
    return page.locator('#result > *').allInnerTexts();
  };

  const verifyAtOnce = (pack: Buffer, key = PACK_KEY): Promise<ReadonlyArray<string>> => {
    const given = JSON.stringify({ pack: pack.toString('base64'), key });
    return page.evaluate(`(${VERIFY_AT_ONCE})(${given})`);
  };

  it('says of a good pack what it shows, and what it cannot show, in the words of verify.py', async () => {
    expect(await verify(await packOf(log.sources()))).to.deep.equal([
      'Verified',
      '23 events of 4 records: every chain is intact from revision 0 on.',
      'Each event is at its place among the 300 events of the log log.example.com/audit.',
      'The key signed that log, and the list of all that is in this pack, made at 2026-02-03T04:05:06.789Z.',
      '1 event has its data withheld: nothing was verified of it.',
      '2 files: each is what the event that names it says.',
      '1 decision of operators about these records: each is at its place in that log. There may be others.',
      'report.html says what the sealed events say, and nothing else.',
      'This cannot show that nothing came later: neither after the last event of a record nor after the checkpoint.',
    ]);
    expect(await page.evaluate('document.activeElement.id')).to.equal('result');
  });

  /** Opens the list of a record's events, which are in the page a moment after the click. */
  const open = async (record: string): Promise<void> => {
    await page.getByText(record).click();
    await page.locator('details[open]', { hasText: record }).locator('article').first().waitFor();
  };

  it('lets one read the events', async () => {
    const [odd = '', , acme = ''] = log.streams;
    await verify(await packOf(log.sources()));
    expect(await page.locator('article').count()).to.equal(0);
    await open(`${acme}, 15 events`);
    expect(await page.locator('article').count()).to.equal(15);
    expect(await page.locator('article').nth(1).innerText()).to.match(
      /^1\. BusinessUpdated\s+at\s+2026-\S+Z\s+actor\s+bob\s+place in the log\s+122\s+reason\s+asked by <phone>\s+changes\s+\{"phone":null,"revenue":0\.1\}$/,
    );
    await open(`${odd}, 3 events`);
    const said = await page.locator('details', { hasText: odd }).innerText();
    expect(said).to.include(String.raw`Ünïcode & <b>"Söhne's"</b> \u202eevil\u202c 😀 \u0000\u007f\u2028 \u202e`);
    expect(await page.locator('details b').count()).to.equal(0);
  });

  it('says that data is withheld where it is', async () => {
    await verify(await packOf(log.sources({ withData: false })));
    await page.locator('summary').first().click();
    expect(await page.locator('article').first().innerText()).to.match(/Its data is withheld\.$/);
    expect(await page.locator('article').first().innerText()).not.to.include('Acme');
  });

  for (const [what, pack, said] of goodPacks)
    it(`verifies a pack ${what}`, async () => {
      const [verdict, ...sentences] = await verifyAtOnce(await pack());
      expect(verdict).to.equal('Verified');
      expect(sentences.join('\n')).to.match(said);
    });

  it('verifies a pack of which the end of a record was left out, and says that it cannot show that', async () => {
    const sentences = await verify(await cutPack());
    expect(sentences.slice(0, 2).join(' ')).to.match(/^Verified 22 events of 4 records: /);
    expect(sentences.at(-1)).to.match(/^This cannot show that nothing came later: /);
  });

  for (const { what, pack, said, key } of badPacks)
    it(`says so when a pack ${what}`, async () => {
      expect(await verifyAtOnce(await pack(), key)).to.deep.equal(['Not verified', `NOT VERIFIED: ${said}`]);
      expect(await page.locator('#records > *').count()).to.equal(0);
    });

  for (const { what, key, pack, changes, kept, policy, said, fault } of replacedKeyPacks)
    it(`follows the changes of the key when a pack ${what}`, async () => {
      const sentences = await verify(await pack(), key, kept, policy, changes);
      if (fault !== undefined) expect(sentences).to.deep.equal(['Not verified', `NOT VERIFIED: ${fault}`]);
      else expect([sentences[0], saidOfKeys(sentences)]).to.deep.equal(['Verified', said]);
    });

  for (const { what, policy, said, fault, ...pack } of witnessedPacks)
    it(`checks the witnesses of a pack that ${what}`, async () => {
      const sentences = await verify(await witnessedPack(pack), PACK_KEY, undefined, policy);
      if (fault !== undefined) expect(sentences).to.deep.equal(['Not verified', `NOT VERIFIED: ${fault}`]);
      else expect([sentences[0], sentences.at(-2)]).to.deep.equal(['Verified', said]);
    });

  it('compares the checkpoint that somebody has kept', async () => {
    const pack = await packOf(log.sources());
    const kept = (size: number, name: string): string =>
      right(signCheckpoint({ size, root: leafDataOf(name, 0) }, log.signer));
    expect(await verify(pack, PACK_KEY, log.checkpoint)).to.include('The checkpoint you kept is of the same events.');
    expect(await verify(pack, PACK_KEY, kept(300, 'x'))).to.deep.equal([
      'Not verified',
      'NOT VERIFIED: the checkpoint you kept has the same size and another root: the key has signed two histories',
    ]);
    expect((await verify(pack, PACK_KEY, kept(299, 'x'))).at(-2)).to.equal(
      'The checkpoint you kept is of 299 events, that of the pack of 300: only a proof shows that one continues the ' +
        'other. Ask for "ops log verify --against" with yours.',
    );
    expect(await verify(pack, PACK_KEY, `${log.checkpoint}x`)).to.deep.equal([
      'Not verified',
      'NOT VERIFIED: the checkpoint you kept does not end with an empty line and lines that sign it',
    ]);
  });

  it('takes back what it has said when another pack or key is given', async () => {
    const pack = await packOf(log.sources());
    await verify(pack);
    await page.getByLabel('The verifier key').fill('x');
    expect(await page.locator('#result > *, #records > *').count()).to.equal(0);
    await verify(pack);
    await page.getByLabel('The pack').setInputFiles(fileOf('other.zip', pack));
    expect(await page.locator('#result > *, #records > *').count()).to.equal(0);
  });

  it('takes a pack that is dropped on it', async () => {
    const pack = await packOf(log.sources());
    const given = await page.evaluateHandle(`(() => {
      const bytes = Uint8Array.from(atob('${pack.toString('base64')}'), (character) => character.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], 'pack.zip'));
      return transfer;
    })()`);
    await page.getByLabel('The pack').setInputFiles([]);
    await page.getByLabel('The verifier key').fill(PACK_KEY);
    await page.dispatchEvent('body', 'drop', { dataTransfer: given });
    await page.getByRole('button', { name: 'Verify' }).click();
    expect(await page.locator('#result h2').innerText()).to.equal('Verified');
  });

  it('asks for nothing when pack or key is missing, and verifies nothing', async () => {
    await page.getByLabel('The pack').setInputFiles([]);
    await page.getByRole('button', { name: 'Verify' }).click();
    expect(await page.locator('#result > *').count()).to.equal(0);
    expect(await page.evaluate(`document.getElementById('pack').validationMessage`)).not.to.equal('');
  });

  it('reaches no network, and could not', async () => {
    expect(requests).to.deep.equal([pathToFileURL('verifiers/verify.html').href]);
    // In a page of its own: what the browser says of a refusal may come after it, when the test has ended.
    const other = await browser.newPage();
    other.setDefaultTimeout(GIVEN_UP);
    await other.goto(pathToFileURL('verifiers/verify.html').href);
    const refused = await other.evaluate(`new Promise((resolve) => {
      const refused = new Set();
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
        if (refused.add(effectiveDirective + ' ' + blockedURI).size === 2) resolve([...refused].sort());
      });
      fetch('https://example.com/').then(() => resolve('fetched'), () => undefined);
      new Image().src = 'https://example.com/a.gif';
    })`);
    await other.close();
    expect(refused).to.deep.equal(['connect-src https://example.com/', 'img-src https://example.com/a.gif']);
  });
});
