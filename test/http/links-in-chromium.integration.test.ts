import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { callerOf, idOf } from '../support/client.js';
import { hasChromium, startChromium } from '../support/chromium.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { needs } from '../support/needs.js';

/** A picture of one pixel. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

describe('links for a while, in Chromium, from another origin', function () {
  this.timeout(180_000);

  let stack: MemoryStack;
  let pages: Server;
  let browser: Browser;
  let page: Page;
  let document: string;
  const call = callerOf(() => stack);

  before(async function () {
    needs(this, hasChromium(), 'chromium, which opens the links');
    pages = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>a page</p>'),
    );
    pages.listen(0, '127.0.0.1');
    await once(pages, 'listening');
    // reason: a server on a port has such an address
    const origin = `http://localhost:${(pages.address() as AddressInfo).port}`;
    stack = await startMemoryStack({ corsOrigins: [origin] });
    const as = stack.tokenFor('editor');
    document = idOf(await call('POST', '/document', { as, body: { name: 'A picture' } }));
    const headers = { 'content-type': 'image/gif' };
    await call('PUT', `/document/${document}/file?originalName=a.gif`, { as, body: GIF, headers });
    browser = await startChromium();
    page = await browser.newPage();
    await page.goto(origin);
  });
  after(async () => {
    if (!hasChromium()) return;
    await browser.close();
    stack.ports.feed.stop();
    await stack.stop();
    pages.close();
  });

  const made = async (path: string): Promise<string> => {
    const { json } = await call('POST', `/document/${document}${path}`, { as: stack.tokenFor('auditor') });
    return stack.baseUrl + (json as { readonly url: string }).url;
  };
  /** The width of the picture at an address, as a page shows it; null where the browser shows none. */
  const widthAt = (url: string): Promise<number | null> =>
    page.evaluate<number | null>(`new Promise((resolve) => {
      const image = new Image();
      image.onload = () => resolve(image.naturalWidth);
      image.onerror = () => resolve(null);
      image.src = ${JSON.stringify(url)};
    })`);

  it('show a picture, which the file by its own address is not, and an altered link neither', async () => {
    const url = await made('/link');
    expect(await widthAt(url)).to.equal(1);
    expect(await widthAt(`${stack.baseUrl}/api/v1/document/${document}/file`)).to.equal(null);
    expect(await widthAt(`${url}x`)).to.equal(null);
  });

  it('are fetched by a script', async () => {
    const bytes = await page.evaluate(
      async (address) => {
        const response = await fetch(address);
        return [response.status, (await response.arrayBuffer()).byteLength];
      },
      await made('/link'),
    );
    expect(bytes).to.deep.equal([200, GIF.length]);
  });

  it('open a feed for an EventSource', async () => {
    const seen = await page.evaluate(
      (address) =>
        new Promise<ReadonlyArray<string>>((resolve, reject) => {
          const ids: Array<string> = [];
          const source = new EventSource(address);
          source.onmessage = ({ lastEventId }) => ids.push(lastEventId);
          source.onerror = () => reject(new Error('the feed was not opened'));
          source.addEventListener('caught-up', () => {
            source.close();
            resolve(ids);
          });
        }),
      await made('/events/link'),
    );
    expect(seen).to.deep.equal(['0', '1']);
  });
});
