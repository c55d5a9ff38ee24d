import type pg from 'pg';
import type { OnConnectionEvent } from '../../../event-sourcing/connection-event.js';
import { listen } from '../../../postgres/listen.js';
import { HEAD_CHANNEL } from './append-statement.js';
import type { CommitFeed } from './commit-feed.js';
import type { Pages } from './read/pages.js';
import type { Runtime } from '../../../event-sourcing/runtime.js';

type HeadWatch = {
  readonly runtime: Runtime;
  readonly config: pg.ClientConfig & { readonly connectionString: string };
  readonly feed: CommitFeed;
  readonly pages: Pages;
  /** How this process signs its notifications, which it ignores itself: it knows its own commits sooner. */
  readonly process: string;
  readonly onConnectionEvent: OnConnectionEvent;
};

/**
 * Raises the feed's head when other processes append, until `signal` aborts. Resolves when its connection is closed.
 */
export const watchHead = (
  { runtime, config, feed, pages, process, onConnectionEvent }: HeadWatch,
  signal: AbortSignal,
): Promise<void> =>
  listen(
    {
      runtime,
      config,
      channel: HEAD_CHANNEL,
      onNotification: (payload) => {
        const [sender, position = ''] = payload.split(' ');
        if (sender !== process && /^\d+$/.test(position)) feed.raise(BigInt(position));
      },
      onLost: (cause) => onConnectionEvent({ kind: 'connection-lost', connection: 'listener', cause }),
      onFailed: (cause) => onConnectionEvent({ kind: 'read-repeated', cause }),
      // in case a notification was lost
      afterCheck: async () => feed.raise(await pages.head()),
    },
    signal,
  );
