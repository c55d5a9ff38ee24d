import type { LogBatch, LogRange, StreamRange } from '../../../../event-sourcing/event-store.js';
import { checkpointAt, type Position, type StreamName } from '../../../../event-sourcing/recorded-event.js';
import type { StreamPage } from '../../../../event-sourcing/stream-page.js';
import { firstOf, type Pages } from './pages.js';

export async function* readStream(pages: Pages, stream: StreamName, range: StreamRange): AsyncGenerator<StreamPage> {
  const { direction } = range;
  let until = range.until ?? Infinity;
  let from = firstOf(range);
  let limit = range.limit ?? Infinity;
  let startsSmall = range.startsSmall ?? false;
  while (limit > 0 && from >= 0n) {
    const page = await pages.stream(stream, { direction, from, limit, until, startsSmall });
    until = Infinity;
    const last = page.bytes.at(-1);
    if (last === undefined && page.isLast) return;
    yield page;
    if (page.isLast) return;
    startsSmall = false;
    limit -= page.length;
    if (last !== undefined) from = direction === 'forwards' ? last.revision + 1n : last.revision - 1n;
  }
}

/** Reads one page ahead of its consumer, so that the server works while the consumer does. */
export async function* readLog(pages: Pages, { after, categories }: LogRange): AsyncGenerator<LogBatch> {
  const head = await pages.head();
  const pageAfter = (cursor: Position): ReturnType<Pages['log']> | undefined => {
    const page = cursor < head ? pages.log(cursor, head, categories) : undefined;
    // when the consumer leaves, nobody awaits this page: its failure must not end the process
    page?.catch(() => undefined);
    return page;
  };
  let ahead = pageAfter(after === 'start' ? 0n : after.commit);
  while (ahead !== undefined) {
    const { events, seen } = await ahead;
    ahead = pageAfter(seen);
    yield { events, checkpoint: checkpointAt(seen) };
  }
}
