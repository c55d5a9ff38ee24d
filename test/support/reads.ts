import type { Read } from '../../src/read/access/access-record.js';

/** A read of a history, whose time and whatever else matters may be given. */
export const aRead = (given: Partial<Read> = {}): Read => ({
  at: new Date('2026-01-02T03:04:05.678Z'),
  user: 'ann',
  operation: 'listBusinessEvents',
  record: { entityType: 'Business', entity: '0198f0a0-0000-7000-8000-000000000001' },
  what: '',
  form: 'json',
  requestId: 'r',
  ...given,
});
