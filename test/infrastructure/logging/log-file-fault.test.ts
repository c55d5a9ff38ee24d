import { expect } from 'chai';
import { logFileFault } from '../../../src/infrastructure/logging/log-file-fault.js';

describe('a file that is not as its event says, in the log', () => {
  it('is an error that names the document, the key and what differs', () => {
    const lines: Array<unknown> = [];
    const logIt = logFileFault({ error: (...line: ReadonlyArray<unknown>) => void lines.push(line) });
    const file = { documentId: 'd1', key: 'documents/d1/f1' };
    logIt({ ...file, kind: 'missing', reason: 'there is no such object' });
    logIt({ ...file, kind: 'different', reason: 'it has 3 bytes, its event says 4' });
    const fields = { document: 'd1', key: 'documents/d1/f1' };
    expect(lines).to.deep.equal([
      [
        { ...fields, kind: 'missing', reason: 'there is no such object' },
        'a file that an event names is missing in the storage',
      ],
      [
        { ...fields, kind: 'different', reason: 'it has 3 bytes, its event says 4' },
        'a file in the storage is not the one that its event names',
      ],
    ]);
  });
});
