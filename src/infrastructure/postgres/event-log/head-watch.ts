import type pg from 'pg';
import type { CommitFeed } from './commit-feed.js';
import { HEAD_CHANNEL } from './append/append-statement.js';
import type { OnConnectionEvent } from '../../../event-sourcing/connection-event.js';
import { makeLastingConnection } from './lasting-connection.js';
import type { Pages } from './read/pages.js';
import { jitter } from './jitter.js';

/** A look at the head in case no notification came, and how often a lost connection is renewed, ms. */
const POLL = 1_000;

/** Tells the feed what other processes append, until `signal` aborts; settles when it has let go of everything. */
export const watchHead = async (
  deps: {
    readonly config: pg.ClientConfig;
    readonly feed: CommitFeed;
    readonly pages: Pages;
    /** This process, as it signs its own notifications: of its own commits it knows sooner. */
    readonly process: string;
    readonly onConnectionEvent: OnConnectionEvent;
  },
  signal: AbortSignal,
): Promise<void> => {
  const { config, feed, pages, process, onConnectionEvent } = deps;

  const heard = (payload: string): void => {
    const [sender, position = ''] = payload.split(' ');
    if (sender !== process && /^\d+$/.test(position)) feed.raise(BigInt(position));
  };

  const listener = makeLastingConnection({
    config,
    name: 'listener',
    prepare: async (client) => {
      client.on('notification', ({ payload = '' }) => heard(payload));
      await client.query(`listen ${HEAD_CHANNEL}`);
    },
    onConnectionEvent,
  });

  while (!signal.aborted) {
    try {
      await listener.open();
      feed.raise(await pages.head());
    } catch (cause) {
      onConnectionEvent({ kind: 'read-repeated', cause });
    }
    await jitter(POLL, signal);
  }
  await listener.close();
};
