import { execFile } from 'node:child_process';
import { expect } from 'chai';

type Ended = { readonly code: number; readonly complaints: string };

const run = (settings: Readonly<Record<string, string>>): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { PATH: process.env['PATH'] ?? '', ...settings };
    execFile(process.execPath, ['--import', 'tsx', 'test/bench/stacks.ts'], { env }, (error, _, complaints) =>
      resolve({ code: Number(error?.code ?? 0), complaints }),
    );
  });

describe('the benchmark on servers of one’s own', function () {
  this.timeout(180_000);

  it('says which settings it needs when none names a server, and fails', async () => {
    const { code, complaints } = await run({});
    expect(code).to.equal(1);
    for (const name of ['EVENTSTOREDB_URL', 'DATABASE_URL', 'S3_ENDPOINT', 'S3_SECRET_KEY'])
      expect(complaints).to.include(name);
  });

  it('names what is missing of the S3 settings', async () => {
    const { code, complaints } = await run({ S3_ENDPOINT: 'http://127.0.0.1:9', S3_BUCKET: 'files' });
    expect(code).to.equal(1);
    expect(complaints).to.include('S3_ACCESS_KEY: required');
  });
});
