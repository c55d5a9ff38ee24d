import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { documentStream } from '../../../src/application/document/execute-document.js';
import { diskStorage } from '../../support/disk-storage.js';
import { aDocumentCreated, aStoredFile } from '../../support/document-events.js';
import { givenStream } from '../../support/given-stream.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { runOperator } from '../../support/operator.js';
import { exportedText } from '../../support/sealed-log.js';

describe('a backup of a log whose files are lost', function () {
  this.timeout(300_000);
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'lost-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('is made with --allow-missing-files, which its refusal names, and grows without it', async () => {
    const lost = 1_001;
    const store = makeInMemoryEventStore();
    for (let each = 0; each < lost; each += 1)
      await givenStream(store, documentStream(String(each)), [aDocumentCreated({ file: aStoredFile() })]);
    await writeFile(path.join(directory, 'log.ndjson'), await exportedText(store, true));
    const dataDir = path.join(directory, 'data');
    await diskStorage(path.join(dataDir, 'files'));
    const ops = (...args: ReadonlyArray<string>) => runOperator(args, { env: { DATA_DIR: dataDir } });
    const backUp = (...args: ReadonlyArray<string>) => ops('backup', path.join(directory, 'backup'), ...args);
    expect((await ops('log', 'import', path.join(directory, 'log.ndjson'))).code).to.equal(0);

    const refused = await backUp();
    expect(refused.stderr).to.include('give --allow-missing-files');
    expect(refused.code).to.equal(1);
    // and the decision of the import, which records that these events have no mac
    const summary = `the backup has ${lost + 1} events and 0 files of 0 bytes; ${lost} files of events could not be backed up`;
    for (const options of [['--allow-missing-files'], []]) {
      const { code, stdout, stderr } = await backUp(...options);
      expect(stdout, stderr).to.include(summary);
      expect(code).to.equal(1);
    }
  });
});
