import { either as E } from 'fp-ts';
import { orThrow } from '../attempt.js';
import { CheckpointNotInLog, type EventStore } from '../event-store.js';
import { checkpointAt, type Position, type StoredEvent, type StreamName } from '../recorded-event.js';
import { renderLine, renderLineWithoutData } from './log-line.js';

/** Which events: of the whole log or of one category, behind a position; or those of one stream. */
export type Selection =
  | { readonly _tag: 'Log'; readonly category: string | undefined; readonly since: Position | undefined }
  | { readonly _tag: 'Stream'; readonly stream: StreamName; readonly since: Position | undefined };

/** An event that cannot be written as a line. */
export class NotExportable extends Error {
  readonly _tag = 'NotExportable';
  constructor({ stream, revision, id }: StoredEvent, reason: string) {
    super(`${stream}, revision ${revision}, event ${id} cannot be exported: ${reason}`);
    this.name = 'NotExportable';
  }
}

/** Events as an export has them, each a line. Throws `NotExportable`. */
export const exportedLines = (events: ReadonlyArray<StoredEvent>, render = renderLine): string =>
  events
    .map((event) => {
      const line = render(event);
      if (E.isLeft(line)) throw new NotExportable(event, line.left);
      return `${line.right}\n`;
    })
    .join('');

type ExportedPage = { readonly text: string; readonly events: number; readonly reached: Position };

async function* selected(store: EventStore, selection: Selection): AsyncGenerator<ReadonlyArray<StoredEvent>> {
  const { since } = selection;
  if (selection._tag === 'Stream') {
    for await (const page of store.readStream(selection.stream, { direction: 'forwards' }))
      yield [...page].filter(({ position }) => since === undefined || position > since);
    return;
  }
  const after = since === undefined ? 'start' : checkpointAt(since);
  const categories = selection.category === undefined ? {} : { categories: [selection.category] };
  for await (const { events } of store.readAll({ after, ...categories })) yield events;
}

/** A read from behind the end gives nothing with some stores, which looks like a log without new events. */
const failBeyondEnd = async (store: EventStore, since: Position): Promise<void> => {
  const checkpoint = checkpointAt(since);
  if (!orThrow(await store.reaches(checkpoint)))
    throw new CheckpointNotInLog(checkpoint, `the log ends before position ${since}`);
};

/**
 * The selected events as lines of JSON, page by page in log order (`log-line.ts`). `since` is exclusive, and is the position
 * of an event. Throws `StoreUnavailable`, `NotExportable`, and `CheckpointNotInLog` when the log ends before `since`; some
 * stores throw it for a position without an event, too.
 */
export async function* exportLog(
  store: EventStore,
  selection: Selection,
  withData: boolean,
): AsyncGenerator<ExportedPage> {
  const render = withData ? renderLine : renderLineWithoutData;
  if (selection.since !== undefined) await failBeyondEnd(store, selection.since);
  for await (const events of selected(store, selection)) {
    const last = events.at(-1);
    if (last !== undefined)
      yield { text: exportedLines(events, render), events: events.length, reached: last.position };
  }
}
