/**
 * What a create is compared with where the log is in EventStoreDB: appends of one event to a new stream, by the client of
 * EventStoreDB, each a call of its own. A process of its own, with nothing before the client and nothing behind it.
 */
import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import type { Length, LoadResult } from '../measure/load.js';
import { sendOn } from '../measure/send.js';

/** Appends by so many callers at the same time. */
export type Appends = { readonly connections: number; readonly length: Length };

/** Of the size of the event of a created business, with its metadata. */
const DATA = { name: 'Acme Holdings', text: 'x'.repeat(450) };
const METADATA = { actor: 'alice', text: 'x'.repeat(450) };

const [connectionString = ''] = process.argv.slice(2);

/**
 * With credentials the client makes a call of each append; otherwise it writes them into one call for all. A server that
 * checks none takes any.
 */
const credentialsIn = (address: string) => {
  const [, username = 'admin', password = 'changeit'] = /\/\/([^:@/]+):([^@/]+)@/.exec(address) ?? [];
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
};

const credentials = credentialsIn(connectionString);
const client = EventStoreDBClient.connectionString(connectionString);

const append = ({ connections, length }: Appends): Promise<LoadResult> =>
  sendOn(connections, length, async ({ mayBegin, answered }) => {
    while (mayBegin()) {
      const sentAt = performance.now();
      const event = jsonEvent({ id: randomUUID(), type: 'BenchAppended', data: DATA, metadata: METADATA });
      const { success } = await client.appendToStream(`bench-${randomUUID()}`, event, {
        expectedRevision: NO_STREAM,
        credentials,
      });
      answered(performance.now() - sentAt, success);
    }
  });

process.on('message', (appends: Appends) => {
  void append(appends).then((result) => process.send?.(result));
});
