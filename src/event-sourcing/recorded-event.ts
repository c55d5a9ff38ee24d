/** `<category>-<id>`: one entity, one stream. The category is one word without a dash. */
export type StreamName = `${string}-${string}`;

/** Place of an event in its own stream, 0-based. */
export type Revision = bigint;

/** What an append insists on: the revision of the stream's last event, or that there is none. */
export type ExpectedRevision = Revision | 'no-stream';

/** Place of an event in the whole log. Grows in commit order; gaps are allowed. */
export type Position = bigint;

/**
 * How far a reader of the whole log has come: it has seen every event up to this one, inclusive. EventStoreDB needs both
 * halves to resume; only `commit` is ever compared.
 */
export type Checkpoint = { readonly commit: Position; readonly prepare: Position };

export type From = Checkpoint | 'start';

/** An event as it travels to the store: `data` and `metadata` are exact JSON texts. */
export type NewEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
};

/** An event as the store gives it back, undecoded, byte for byte. */
export type StoredEvent = NewEvent & {
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly position: Position;
};

/** The revision of an event that follows `revision` in its stream. */
export const nextRevision = (revision: ExpectedRevision): Revision => (revision === 'no-stream' ? 0n : revision + 1n);

export const checkpointAt = (position: Position): Checkpoint => ({ commit: position, prepare: position });

export const checkpointOf = ({ position }: StoredEvent): Checkpoint => checkpointAt(position);

export const categoryOf = (stream: StreamName): string => stream.slice(0, stream.indexOf('-'));

export const entityIdOf = (stream: StreamName): string => stream.slice(stream.indexOf('-') + 1);
