import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import type { Projection } from '../../projection.js';
import { versionOf } from '../../version.js';
import { type Instance, readLive } from './instance.js';
import { type Database, isInstalled } from '../schema.js';

/** There are no live rows that this program could check or write; the message says why. */
export class NoLiveRows extends Error {
  readonly _tag = 'NoLiveRows';
  constructor(message: string) {
    super(message);
    this.name = 'NoLiveRows';
  }
}

/** The live rows, which this version of the projection made. Throws `NoLiveRows`. */
export const readWritableLive = async <State, Event extends DomainEvent>(
  database: Database,
  projection: Projection<State, Event>,
): Promise<Instance> => {
  const { name } = projection;
  const instance = (await isInstalled(database)) ? await readLive(database, name) : undefined;
  if (instance === undefined) throw new NoLiveRows(`the read model "${name}" has no rows yet`);
  const version = versionOf(projection);
  if (instance.version !== version)
    throw new NoLiveRows(
      `the rows of "${name}" were made by version ${instance.version} of it, this program has version ${version}`,
    );
  return instance;
};
