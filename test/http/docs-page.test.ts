import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';

describe('the page of the API description', () => {
  let stack: MemoryStack;

  before(async () => {
    stack = await startMemoryStack();
  });

  after(() => stack.stop());

  const get = async (path: string) => {
    const response = await fetch(stack.baseUrl + path);
    return { response, text: await response.text() };
  };

  it('is open to everybody, and loads nothing but our own files, each of which is there', async () => {
    for (const path of ['/docs', '/docs/']) {
      const { response, text } = await get(path);
      expect([response.status, response.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
      const [icon, ...links] = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
      // an empty one, so that no browser asks for /favicon.ico
      expect(icon).to.equal('data:,');
      expect(links).to.deep.equal(['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/init.js']);
      const parts = await Promise.all(links.map(async (link) => (await get(link)).response));
      expect(parts.map((part) => [part.status, part.headers.get('content-type')])).to.deep.equal([
        [200, 'text/css; charset=utf-8'],
        [200, 'text/javascript; charset=utf-8'],
        [200, 'text/javascript; charset=utf-8'],
      ]);
    }
  });

  it('may run its own scripts, which no other answer may', async () => {
    const policy = async (path: string) => (await get(path)).response.headers.get('content-security-policy');
    expect(await policy('/docs')).to.equal(
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    for (const path of ['/openapi.json', '/livez', '/api/v1/business/', '/docs/init.js'])
      expect(await policy(path)).to.equal("default-src 'none'; frame-ancestors 'none'");
  });

  type Props = { readonly name: string; readonly isIncludedOptions: object };
  type Setting = {
    readonly url: string;
    readonly dom_id: string;
    readonly validatorUrl: null;
    readonly plugins: ReadonlyArray<
      () => {
        readonly wrapComponents: {
          readonly ParameterIncludeEmpty: (original: string, system: object) => (props: Props) => unknown;
        };
      }
    >;
  };

  /** What the page's own script asks of Swagger UI. */
  const asked = async (): Promise<Setting> => {
    const settings: Array<Setting> = [];
    runInNewContext((await get('/docs/init.js')).text, {
      SwaggerUIBundle: (setting: Setting) => settings.push(setting),
    });
    return settings[0]!;
  };

  it('shows our description, and asks nobody else whether it is valid', async () => {
    const { url, dom_id, validatorUrl } = await asked();
    expect({ url, dom_id, validatorUrl }).to.deep.equal({
      url: '/openapi.json',
      dom_id: '#swagger-ui',
      validatorUrl: null,
    });
  });

  it('leaves a field of a form out that was left empty, unless it is told to send it', async () => {
    const [plugin] = (await asked()).plugins;
    const React = { createElement: (component: string, props: Props) => ({ component, props }) };
    const shown = plugin!().wrapComponents.ParameterIncludeEmpty('original', { React })({
      name: 'description',
      isIncludedOptions: { shouldDispatchInit: true, defaultValue: true },
    });
    expect(shown).to.deep.equal({
      component: 'original',
      props: { name: 'description', isIncludedOptions: { shouldDispatchInit: true, defaultValue: false } },
    });
    // the name that Swagger UI gives to what is wrapped
    expect((await get('/docs/swagger-ui-bundle.js')).text).to.include('("ParameterIncludeEmpty")');
  });

  it('gives no other file away', async () => {
    for (const name of ['package.json', '..%2Fpackage.json', 'index.html', '__proto__', 'constructor', ''])
      expect([name, (await get(`/docs/x/../${name}`)).response.status]).to.deep.equal([name, name === '' ? 200 : 404]);
  });

  it('describes what is really served', async () => {
    const { response, text } = await get('/openapi.json');
    expect([response.status, response.headers.get('content-type')]).to.deep.equal([
      200,
      'application/json; charset=utf-8',
    ]);
    expect((JSON.parse(text) as { openapi: string }).openapi).to.equal('3.1.0');
  });
});
