import { Metadata, status } from '@grpc/grpc-js';
import { expect } from 'chai';
import { callFailed } from '../../../src/infrastructure/eventstoredb/connection/call-failed.js';

describe('a failed call to EventStoreDB', () => {
  const failed = (code: status, details: string) => callFailed({ code, details, metadata: new Metadata() });

  it('says what to do about a user that the server does not take', () => {
    const { message, isTransient } = failed(status.UNAUTHENTICATED, 'Received HTTP status code 401');
    expect([message, isTransient]).to.deep.equal([
      'EventStoreDB: UNAUTHENTICATED: Received HTTP status code 401. The server does not take the user of the connection string (EVENTSTOREDB_URL), or the password. Correct them.',
      false,
    ]);
  });

  it('says what to do about a user that may not do it', () => {
    expect(failed(status.PERMISSION_DENIED, 'Access Denied').message).to.equal(
      'EventStoreDB: PERMISSION_DENIED: Access Denied. The user of the connection string (EVENTSTOREDB_URL) may not do this. Name one that may read and write all streams.',
    );
  });

  it('adds nothing to what says enough', () => {
    expect(failed(status.UNAVAILABLE, 'Server Is Not Ready').message).to.equal(
      'EventStoreDB: UNAVAILABLE: Server Is Not Ready',
    );
  });
});
