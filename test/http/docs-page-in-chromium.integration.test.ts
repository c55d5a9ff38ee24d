import { expect } from 'chai';
import type { Browser, Locator, Page, Response } from 'playwright-core';
import { makeApi } from '../support/api.js';
import { hasChromium, startChromium } from '../support/chromium.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { needs } from '../support/needs.js';

const SCREEN = { width: 1_400, height: 900 };
const PHONE = { width: 400, height: 900 };

/** When to give up waiting for the page: long enough for a machine that is busy with other tests. */
const LONG_ENOUGH_MS = 90_000;

describe('the page of the API description, in Chromium', function () {
  this.timeout(180_000);

  let stack: MemoryStack;
  let browser: Browser;
  let page: Page;
  /** What the browser complained about, as a script that its policy forbids. */
  let errors: Array<string>;
  /** What it complains about for a good reason, in the test that sets it. */
  let complaint: RegExp | undefined;
  let requests: Set<string>;

  before(async function () {
    needs(this, hasChromium(), 'chromium, in which the page runs');
    browser = await startChromium();
    stack = await startMemoryStack();
  });
  after(async () => {
    if (!hasChromium()) return;
    await browser.close();
    await stack.stop();
  });

  const open = async (tab: Page): Promise<void> => {
    await tab.goto(stack.baseUrl);
    await tab.locator('.opblock').first().waitFor();
  };

  beforeEach(async () => {
    errors = [];
    complaint = undefined;
    requests = new Set();
    page = await (await browser.newContext({ viewport: SCREEN })).newPage();
    page.context().setDefaultTimeout(LONG_ENOUGH_MS);
    page.on('request', (request) => requests.add(new URL(request.url()).origin));
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await open(page);
  });
  afterEach(async () => {
    if (!hasChromium()) return;
    await page.context().close();
    expect(errors.filter((text) => complaint?.test(text) !== true)).to.deep.equal([]);
    expect([...requests].filter((origin) => origin !== stack.baseUrl && origin !== 'null')).to.deep.equal([]);
  });

  const operation = async (id: string): Promise<Locator> => {
    const block = page.locator(`.opblock[id$="-${id}"]`);
    await block.locator('.opblock-summary-control').click();
    await block.locator('.responses-inner').waitFor();
    return block;
  };

  const authorize = async (token: string): Promise<void> => {
    await page.locator('.auth-wrapper .authorize').click();
    await page.getByLabel('auth-bearer-value').fill(token);
    await page.getByRole('button', { name: 'Apply credentials' }).click();
    await page.locator('.btn-done').click();
  };

  /** Opens an operation to be tried out, as long as it is closed. */
  const tryOut = async (id: string): Promise<Locator> => {
    const block = await operation(id);
    await block.getByRole('button', { name: 'Try it out' }).click();
    return block;
  };

  const execute = async (block: Locator): Promise<Response> => {
    const answered = page.waitForResponse((response) => response.url().includes('/api/'));
    await block.getByRole('button', { name: 'Execute' }).click();
    return answered;
  };

  it('shows each operation within a screen and a half, with all its errors in one line that opens', async () => {
    const blocks = await page.locator('.opblock').all();
    const ids = await Promise.all(blocks.map(async (block) => (await block.getAttribute('id')) ?? ''));
    expect(ids.length).to.be.greaterThan(20);
    for (const id of ids) {
      const block = await operation(id.split('-').at(-1) ?? '');
      const { height = Infinity } = (await block.boundingBox()) ?? {};
      expect(height, id).to.be.at.most(1.5 * SCREEN.height);
      expect(await block.locator('details.errors').count(), id).to.equal(1);
      await block.locator('.opblock-summary-control').click();
    }
    const block = await operation('createBusiness');
    const folded = block.locator('details.errors');
    expect(await folded.locator('summary').innerText()).to.equal(
      'Errors: 400, 401, 404, 409, 412, 413, 415, 422, 429, 500, 503',
    );
    expect(await folded.getByText('owner_exists').isVisible()).to.equal(false);
    await folded.locator('summary').click();
    expect(await folded.getByText('validation_failed').isVisible()).to.equal(true);
  });

  it('shows the longest operations within a screen and a half of a phone, with a button that copies the path', async () => {
    await page.setViewportSize(PHONE);
    for (const id of ['listBusinesses', 'listDocuments', 'listBusinessEvents', 'createDocument', 'updateDocument']) {
      const block = await operation(id);
      const { height = Infinity } = (await block.boundingBox()) ?? {};
      expect(height, id).to.be.at.most(1.5 * PHONE.height);
      const { width = 0 } = (await block.locator('.opblock-summary .copy-to-clipboard').boundingBox()) ?? {};
      expect(width, id).to.be.at.least(20);
      await block.locator('.opblock-summary-control').click();
    }
  });

  it('is no wider than the screen of a phone', async () => {
    await page.setViewportSize(PHONE);
    for (const id of ['listBusinesses', 'createDocument', 'listDocumentEvents']) await operation(id);
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(PHONE.width);
  });

  it('has no headers in the way, and sends those that are filled in', async () => {
    await authorize(stack.tokenFor('admin', 'alice'));
    const block = await tryOut('createBusiness');
    const header = block.getByPlaceholder('Change-Reason');
    expect(await header.isVisible()).to.equal(false);
    await block.locator('details.request-headers > summary').click();
    await header.fill('tried');
    // reason: the record, as documented
    const { _id } = (await (await execute(block)).json()) as { readonly _id: string };
    const api = makeApi(stack.baseUrl, stack.tokenFor('admin', 'alice'));
    const [created] = await api.json<ReadonlyArray<{ readonly reason?: string }>>('GET', `/business/${_id}/events`);
    expect(created?.reason).to.equal('tried');
  });

  it('shows the form with the file first where a document is created, and uploads it', async () => {
    await authorize(stack.tokenFor('admin', 'alice'));
    const block = await tryOut('createDocument');
    expect(await block.locator('select[aria-label="Request content type"]').inputValue()).to.equal(
      'multipart/form-data',
    );
    const sizes = await block.locator('.opblock-section-request-body .opblock-description-wrapper').first().innerText();
    expect(sizes.split('\n')[0]).to.equal(
      'Form: the file at most MAX_UPLOAD_BYTES (100 MiB unless set), each field at most 64 KiB. JSON: at most 256 KiB.',
    );
    const names = await block.locator('.opblock-section-request-body .parameter__name').allInnerTexts();
    expect(names[1]).to.match(/^file/);
    await block
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
    expect((await execute(block)).status()).to.equal(200);
  });

  it('leaves a field of a form out that was left empty, so that an update does not clear it', async () => {
    const token = stack.tokenFor('admin', 'alice');
    const api = makeApi(stack.baseUrl, token);
    const { _id } = await api.json<{ readonly _id: string }>('POST', '/document', { name: 'a', entity: 'stays' });
    await authorize(token);
    const block = await tryOut('updateDocument');
    await block.getByPlaceholder('documentId').fill(_id);
    await block.getByPlaceholder('name', { exact: true }).fill('b');
    expect((await execute(block)).status()).to.equal(200);
    const { name, entity } = await api.json<Record<string, unknown>>('GET', `/document/${_id}`);
    expect({ name, entity }).to.deep.equal({ name: 'b', entity: 'stays' });
  });

  it('says how to get a token, and keeps it until the tab is closed', async () => {
    await page.locator('.auth-wrapper .authorize').click();
    expect(await page.locator('.auth-container').innerText()).to.include('npm run -s token -- --role admin');
    await page.locator('.btn-done').click();
    await authorize(stack.tokenFor('viewer', 'alice'));
    await open(page);
    // the token is put back some time after the operations are shown
    await page.locator('.auth-wrapper .authorize.locked').waitFor();
    expect((await execute(await tryOut('listBusinesses'))).status()).to.equal(200);

    const other = await page.context().newPage();
    await open(other);
    await other.locator('.auth-wrapper .authorize').click();
    expect(await other.getByLabel('auth-bearer-value').inputValue()).to.equal('');
    await other.close();

    await page.locator('.auth-wrapper .authorize').click();
    await page.getByRole('button', { name: 'Remove authorization' }).click();
    await open(page);
    expect(await page.evaluate('sessionStorage.length')).to.equal(0);
    // the browser notes that answer, now or later
    complaint = / 401 /;
    expect((await execute(await tryOut('listBusinesses'))).status()).to.equal(401);
  });
});
