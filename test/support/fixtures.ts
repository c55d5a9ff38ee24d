import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as t from 'io-ts';
import type { StoredEvent, StreamName } from '../../src/event-sourcing/recorded-event.js';

const FrozenEvent = t.type({
  stream: t.string,
  revision: t.string,
  position: t.string,
  id: t.string,
  type: t.string,
  data: t.string,
  metadata: t.string,
});

const thaw = (json: unknown): StoredEvent => {
  if (!FrozenEvent.is(json)) throw new Error('not a stored event');
  const { stream, revision, position, ...event } = json;
  // reason: every stream of a fixture was named by this program
  return { ...event, stream: stream as StreamName, revision: BigInt(revision), position: BigInt(position) };
};

const fileOf = (name: string): string => path.join(import.meta.dirname, '..', 'fixtures', `${name}.json`);

const read = (name: string): unknown => JSON.parse(readFileSync(fileOf(name), 'utf8'));

/** The frozen event of a type in a schema version, or undefined while there is none. */
export const frozenEvent = (type: string, version: number): StoredEvent | undefined => {
  const name = `events/${type}.v${version}`;
  return existsSync(fileOf(name)) ? thaw(read(name)) : undefined;
};

/** A whole stream as it was once stored. */
export const frozenChain = (name: string): ReadonlyArray<StoredEvent> => {
  const events = read(`chains/${name}`);
  if (!Array.isArray(events)) throw new Error('not a list of events');
  return events.map(thaw);
};

const FrozenHistories = t.record(
  t.string,
  t.array(t.type({ type: t.string, schemaVersion: t.number, actor: t.string, at: t.string, data: t.UnknownRecord })),
);

/** Histories of several entities, by what each of them lives through: facts as they were once recorded, unsealed. */
export const frozenHistories = (name: string): t.TypeOf<typeof FrozenHistories> => {
  const histories = read(`histories/${name}`);
  if (!FrozenHistories.is(histories)) throw new Error('not histories by name');
  return histories;
};
