import { CallFailed } from '../../../src/infrastructure/eventstoredb/connection/call-failed.js';
import { StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import { ServerSilent } from '../../../src/infrastructure/s3/transport.js';
import { refusal } from '../../support/memory-storage/refusal.js';
import type { Failure } from '../way.js';

const withCode = (message: string, code: string, syscall: string): Error =>
  Object.assign(new Error(message), { code, syscall });

const noSpace = (): Error => refusal('53100', 'could not extend file "base/5/16397": No space left on device');

/** As the log says it: EventStoreDB, and of its disk Postgres, because EventStoreDB ends then. */
export const ofLog = (failure: Failure): StoreUnavailable => {
  switch (failure) {
    case 'Refused':
      return new StoreUnavailable(
        'EventStoreDB: UNAVAILABLE: No connection established. Last error: connect ECONNREFUSED',
        new CallFailed('not-executed', 'EventStoreDB: UNAVAILABLE: No connection established'),
      );
    case 'Silent':
      return new StoreUnavailable(
        'EventStoreDB: DEADLINE_EXCEEDED: Deadline exceeded',
        new CallFailed('outcome-unknown', 'EventStoreDB: DEADLINE_EXCEEDED: Deadline exceeded'),
      );
    case 'Lost':
      return new StoreUnavailable(
        'EventStoreDB: UNAVAILABLE: Connection dropped',
        new CallFailed('outcome-unknown', 'EventStoreDB: UNAVAILABLE: Connection dropped'),
      );
    case 'Full':
      return new StoreUnavailable('the event log did not take the append', noSpace());
  }
};

/** As the driver of Postgres says it. */
export const ofPostgres = (failure: Failure): Error => {
  switch (failure) {
    case 'Refused':
      return withCode('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED', 'connect');
    case 'Silent':
      return new Error('Query read timeout');
    case 'Lost':
      return new Error('Connection terminated unexpectedly');
    case 'Full':
      return noSpace();
  }
};

/** As a storage of files says it: a server, and of its disk the system. */
export const ofFiles = (failure: Failure): Error => {
  switch (failure) {
    case 'Refused':
      return withCode('connect ECONNREFUSED 127.0.0.1:9000', 'ECONNREFUSED', 'connect');
    case 'Silent':
      return new ServerSilent('no byte within 30000 ms');
    case 'Lost':
      return withCode('socket hang up', 'ECONNRESET', 'read');
    case 'Full':
      return withCode('ENOSPC: no space left on device, write', 'ENOSPC', 'write');
  }
};
