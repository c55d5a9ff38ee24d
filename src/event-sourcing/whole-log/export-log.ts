import { either as E } from 'fp-ts';
import type { EventStore } from '../event-store.js';
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

/**
 * The selected events as lines of JSON, page by page in log order (`log-line.ts`). `since` is exclusive and must
 * be the position of an event. Throws `StoreUnavailable`, `NotExportable`, and `CheckpointNotInLog` for any other `since`.
 */
export async function* exportLog(
  store: EventStore,
  selection: Selection,
  withData: boolean,
): AsyncGenerator<ExportedPage> {
  const render = withData ? renderLine : renderLineWithoutData;
  for await (const events of selected(store, selection)) {
    const lines = events.map((event) => {
      const line = render(event);
      if (E.isLeft(line)) throw new NotExportable(event, line.left);
      return `${line.right}\n`;
    });
    const last = events.at(-1);
    if (last !== undefined) yield { text: lines.join(''), events: events.length, reached: last.position };
  }
}
