import { expect } from 'chai';
import { byteStringOf } from '../../src/event-sourcing/byte-string.js';
import { type EventBytes, sizeOf } from '../../src/event-sourcing/stream-page.js';

describe('the size of events', () => {
  it('is that of their data and metadata in bytes', () => {
    const anEvent = (data: string, metadata: string): EventBytes => ({
      ...{ id: 'i', type: 'T', stream: 'business-1', revision: 0n, position: 0n, isAscii: false },
      ...{ data: byteStringOf(data), metadata: byteStringOf(metadata) },
      ...{ dataSize: Buffer.byteLength(data), metadataSize: Buffer.byteLength(metadata) },
    });
    expect(sizeOf([])).to.equal(0);
    expect(sizeOf([anEvent('"é"', '{}'), anEvent('{}', '[0]')])).to.equal(4 + 2 + 2 + 3);
  });
});
