import type { Command } from '../checks/commands.js';
import type { Sent } from '../checks/feeds.js';
import type { Listed } from '../checks/lists.js';
import type { Read } from '../checks/reads.js';
import type { LedgerEvent, Shown } from '../checks/states.js';

export type Kind = 'Business' | 'Document';

/** What a feed has sent, over all its connections. */
type Followed = {
  readonly feed: string;
  /** Whose events it is of; undefined for all. */
  readonly record: string | undefined;
  readonly sent: ReadonlyArray<Sent>;
};

/** What all clients were told, in the order of the answers. */
export type Told = {
  readonly commands: Array<Command>;
  readonly reads: Array<Read>;
  readonly lists: Array<Listed>;
  /** What histories and the interface for auditors have shown of events. */
  readonly shown: Array<Shown>;
  /** What the latter has shown of the ledger. */
  readonly ledger: Array<LedgerEvent>;
  readonly feeds: Array<Followed>;
  /** Records that are known to be there, or were. */
  readonly records: Readonly<Record<Kind, Array<string>>>;
  /** Those that were deleted, and may be there again. */
  readonly deleted: Array<{ readonly kind: Kind; readonly record: string }>;
  /** By the mark of the command: to which revisions records were reverted whole. */
  readonly reverts: Map<string, number>;
  /** Contents that were uploaded, by their SHA-256. */
  readonly files: Map<string, Buffer>;
  /** Signed checkpoints, alone or in a proof. */
  readonly kept: Array<Buffer>;
  /** Whether nothing has gone wrong for a while. */
  readonly isCalm: () => boolean;
};

export const makeTold = (isCalm: () => boolean = () => false): Told => ({
  commands: [],
  reads: [],
  lists: [],
  shown: [],
  ledger: [],
  feeds: [],
  records: { Business: [], Document: [] },
  deleted: [],
  reverts: new Map(),
  files: new Map(),
  kept: [],
  isCalm,
});
