import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { runOperator } from '../support/operator.js';
import { freshDatabase } from '../support/postgres.js';
import { startComposed } from '../support/composed-service.js';
import { tokenFor } from '../support/service-process.js';

/** A command hands what it decided to the projector, so that rows are written without folding it again. */
describe('the rows of what commands have handed over', function () {
  this.timeout(180_000);
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'handed-over-'));
  });

  afterEach(() => rm(dataDir, { recursive: true }));

  it('are what the log makes, after every kind of change', async () => {
    const env = { DATABASE_URL: await freshDatabase() };
    const service = await startComposed({ dataDir, env });
    const authorization = `Bearer ${await tokenFor('admin', 'alice')}`;
    const send = async (method: string, target: string, body: string | FormData = '{}'): Promise<string> => {
      const type = typeof body === 'string' ? { 'content-type': 'application/json' } : undefined;
      const headers = { authorization, ...type };
      const response = await fetch(`${service.address}/api/v1${target}`, { method, headers, body });
      const text = await response.text();
      expect(response.status, `${method} ${target}: ${text}`).to.equal(200);
      expect(response.headers.get('x-projected')).to.equal(null);
      // reason: every change answers the record
      return (JSON.parse(text) as { _id: string })._id;
    };
    const formOf = (name: string): FormData => {
      const form = new FormData();
      form.set('name', name);
      form.set('tags', 'first');
      form.set('file', new Blob(['content']), 'file.txt');
      return form;
    };

    const business = `/business/${await send('POST', '/business', '{"zip":"1","name":"Acme","city":"Ulm"}')}`;
    await send('PUT', business, '{"zip":"2","name":"Acme & Sons"}');
    await send('POST', `${business}/owner`, '{"title":"CEO","user":"ann"}');
    await send('POST', `${business}/owner`, '{"user":"bob"}');
    await send('PUT', `${business}/owner/ann`, '{"equity":5,"title":null}');
    await send('DELETE', `${business}/owner/bob`);
    const gone = await send('POST', '/business', '{"name":"Gone"}');
    await send('DELETE', `/business/${gone}`);
    const [generated, uploaded] = [
      `/document/${await send('POST', '/document', '{"type":"Business","name":"a record"}')}`,
      `/document/${await send('POST', '/document', formOf('a file'))}`,
    ];
    for (const document of [generated, uploaded]) {
      await send('PUT', document, '{"description":"changed","name":"another"}');
      await send('PUT', document, formOf('another file'));
      await send('PUT', document, '{"tags":["second"]}');
    }

    const { code, stdout, stderr } = await runOperator(['projections', 'verify'], {
      env: { DATA_DIR: dataDir, ...env },
    });
    await service.stop();
    expect({ code, stdout, stderr }).to.deep.equal({
      code: 0,
      stdout:
        'businesses: 2 entities compared, none differs from its stream\n' +
        'documents: 2 entities compared, none differs from its stream\n' +
        'ledger: 16 events compared, none differs from its row\n',
      stderr: '',
    });
  });
});
