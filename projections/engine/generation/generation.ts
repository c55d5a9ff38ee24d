import type { Checkpoint, From, Position, StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import type { ReadModel } from '../../read-model.js';
import { versionOf } from '../../version.js';

/** `live` serves queries; `building` is to become live; `previous` was live and can be switched back to. */
export type Role = 'live' | 'building' | 'previous';

/** The rows of a read model that one version of its projection made, and their checkpoint. */
export type Generation = {
  /** Also that of its lease. */
  readonly name: string;
  readonly version: string;
  readonly role: Role;
  readonly logIdentity: string;
  readonly checkpoint: From;
  /** The newest event that was applied; undefined before the first. */
  readonly last: Pick<StoredEvent, 'stream' | 'revision' | 'id'> | undefined;
};

/** A generation as a change of its read model finds it. */
export type GenerationState = Generation & {
  /** How long it has had its role, ms. */
  readonly msInRole: number;
  /** Who may write it now; undefined: nobody. */
  readonly holder: string | undefined;
  /** Built by an operator: a service does not write it before it is live. */
  readonly isRebuild: boolean;
  /** How many skipped events it is built without. */
  readonly skips: number;
  /** It holds what the log has lost, and stays. */
  readonly isEvidence: boolean;
};

/** A generation, as `ops projections status` shows it. */
export type GenerationStatus = Generation & {
  readonly projection: string;
  readonly roleSince: Date;
  /** Who writes it (`host:pid:…`), and in how many seconds its lease ends; undefined: nobody. */
  readonly leader: { readonly holder: string; readonly seconds: number } | undefined;
  /** Entities with an event that cannot be projected. */
  readonly parked: number;
  /** Why the last of them was parked. */
  readonly lastError: string | undefined;
};

/** The position of a checkpoint; -1 before the first. */
export const commitOf = (checkpoint: Checkpoint | 'start'): Position =>
  checkpoint === 'start' ? -1n : checkpoint.commit;

/** The generation that serves queries; undefined before the first. */
export const liveOf = <Each extends Generation>(generations: ReadonlyArray<Each>): Each | undefined =>
  generations.find(({ role }) => role === 'live');

/**
 * The generation that a rollback switches to: of this version, the one that was replaced last. Undefined when there is
 * none, and while the live rows are of another version: then a service of this version goes on with it (`openForService`),
 * and nobody else may take its lease.
 */
export const previousOf = <Each extends Generation>(
  generations: ReadonlyArray<Each>,
  projection: ReadModel,
): Each | undefined => {
  const version = versionOf(projection);
  if (liveOf(generations)?.version !== version) return undefined;
  return generations.find((each) => each.role === 'previous' && each.version === version);
};
